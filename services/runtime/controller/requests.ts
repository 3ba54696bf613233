/** A request that waits for its answer. */
interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (error: Error) => void;
}

/** Requests of one kind, in the order in which they came. */
export class Requests<Request, Answer> {
  private waiting: Waiting<Request, Answer>[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  add(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
    });
  }

  /** Takes out all; the caller answers them. */
  take(): Waiting<Request, Answer>[] {
    return this.waiting.splice(0);
  }
}
