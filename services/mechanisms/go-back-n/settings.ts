import { mapping } from '../../settings/parts.js';
import { connectionKeys } from '../transport-settings.js';

export const goBackNSettings = mapping(connectionKeys);
