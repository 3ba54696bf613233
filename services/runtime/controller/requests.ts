/** A request that waits for its answer. */
export interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: Error) => void;
}

/** Requests of one kind, in the order in which they came. */
export class Requests<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  add(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
    });
  }

  /** Takes out all; the caller answers them. */
  take(): Waiting<Asked, Answer>[] {
    return this.waiting.splice(0);
  }
}
