import type {
  DequeueObserver,
  DomainBoundary,
  EnqueueObserver,
  FlowIsolation,
  FrameCutter,
  NoticeFilter,
  QueueSampler,
  SwitchRole,
} from '../../contract/slice.js';

/** The roles that exist in one switch, by what calls them. */
export interface SwitchHooks {
  readonly onEnqueue: readonly EnqueueObserver[];
  readonly onDequeue: readonly DequeueObserver[];
  readonly forwardedNotices: readonly NoticeFilter[];
  readonly ownNotices: readonly NoticeFilter[];
  /** A frame goes to one queue, so at most one mechanism chooses it. */
  readonly isolation: FlowIsolation | null;
  /** A queue has one length to sample, and a port one domain: at most one of either. */
  readonly sampler: QueueSampler | null;
  readonly boundary: DomainBoundary | null;
  readonly cutter: FrameCutter | null;
}

export function hooksOf(roles: readonly SwitchRole[]): SwitchHooks {
  return {
    onEnqueue: present(roles.map((role) => role.onEnqueue)),
    onDequeue: present(roles.map((role) => role.onDequeue)),
    forwardedNotices: present(roles.map((role) => role.forwardedNotices)),
    ownNotices: present(roles.map((role) => role.ownNotices)),
    isolation: onlyOne(
      roles.map((role) => role.isolation),
      'isolate flows',
    ),
    sampler: onlyOne(
      roles.map((role) => role.sampler),
      'sample queues',
    ),
    boundary: onlyOne(
      roles.map((role) => role.boundary),
      'change frames at ports',
    ),
    cutter: onlyOne(
      roles.map((role) => role.cutter),
      'cut frames',
    ),
  };
}

function present<Role>(roles: readonly (Role | undefined)[]): Role[] {
  return roles.filter((role) => role !== undefined);
}

function onlyOne<Role>(roles: readonly (Role | undefined)[], what: string): Role | null {
  const [role = null, rival] = present(roles);
  if (rival !== undefined) throw new Error(`two mechanisms ${what} in one switch`);
  return role;
}
