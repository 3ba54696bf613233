import type {
  DequeueObserver,
  EnqueueObserver,
  FlowIsolation,
  NoticeFilter,
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
}

export function hooksOf(roles: readonly SwitchRole[]): SwitchHooks {
  const [isolation = null, rival] = present(roles.map((role) => role.isolation));
  if (rival !== undefined) throw new Error('two mechanisms isolate flows in one switch');
  return {
    onEnqueue: present(roles.map((role) => role.onEnqueue)),
    onDequeue: present(roles.map((role) => role.onDequeue)),
    forwardedNotices: present(roles.map((role) => role.forwardedNotices)),
    ownNotices: present(roles.map((role) => role.ownNotices)),
    isolation,
  };
}

function present<Role>(roles: readonly (Role | undefined)[]): Role[] {
  return roles.filter((role) => role !== undefined);
}
