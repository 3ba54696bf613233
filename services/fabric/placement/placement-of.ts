import type { Fabric } from '../assembly/fabric.js';
import type { Placement } from './placement.js';
import { placeInGroups, placeInServices } from './parts.js';

/** Options of a command line for the placement; at most one of them. */
export interface PlacementRequest {
  readonly devicesPerService: number | null;
  readonly services: number | null;
}

/** The placement of a run: by its command line, else by its scenario. */
export function placementOf(fabric: Fabric, request: PlacementRequest): Placement {
  if (request.devicesPerService !== null) return placeInGroups(fabric, request.devicesPerService);
  if (request.services !== null) return placeInServices(fabric, request.services);
  return fabric.placement;
}
