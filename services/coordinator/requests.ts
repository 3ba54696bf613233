import { selvage } from '#contracts';

const { Action } = selvage.v1.SteerRequest;

/** What people want of a run that is under way. */
export class Requests {
  isPaused = false;
  isStopAsked = false;
  isCheckpointAsked = false;
  private isStepping = false;
  /** Where a step ends; 0: after one round. */
  private stepEndPs = 0;

  /** False: there is no such action. */
  take(action: selvage.v1.SteerRequest.Action, stepPs: number, nowPs: number): boolean {
    if (action === Action.ACTION_PAUSE) Object.assign(this, { isPaused: true, isStepping: false });
    else if (action === Action.ACTION_RESUME) this.isPaused = false;
    else if (action === Action.ACTION_STEP) {
      this.isPaused = true;
      this.isStepping = true;
      this.stepEndPs = stepPs > 0 ? nowPs + stepPs : 0;
    } else if (action === Action.ACTION_CHECKPOINT) this.isCheckpointAsked = true;
    else if (action === Action.ACTION_STOP) this.isStopAsked = true;
    else return false;
    return true;
  }

  /** Whether the run shall stand still, since its next event is then. */
  isHeldAt(nextPs: number): boolean {
    const { isPaused, isStepping, stepEndPs } = this;
    return isPaused && !(isStepping && (stepEndPs === 0 || nextPs < stepEndPs));
  }

  /** A step reaches its end even where nothing is to be executed before it. */
  reachedPs(boundPs: number, nextPs: number): number {
    const stepEndPs = this.isStepping ? this.stepEndPs : 0;
    return Math.max(boundPs, Math.min(stepEndPs, nextPs));
  }

  /** A round begins; returns where it ends at the latest because of a step. */
  beginRound(): number {
    const { isStepping, stepEndPs } = this;
    if (!isStepping || !this.isPaused) return Infinity;
    if (stepEndPs > 0) return stepEndPs;
    this.isStepping = false;
    return Infinity;
  }
}
