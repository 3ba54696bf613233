import type { ServerInterceptor } from '@grpc/grpc-js';
import { ServerInterceptingCall, ServerListenerBuilder, status as codes } from '@grpc/grpc-js';
import { hasToken } from '../runtime/links/control-channel.js';
import { COORDINATOR } from '../runtime/links/methods.js';

const UNAUTHENTICATED = {
  code: codes.UNAUTHENTICATED,
  details: 'the token of the run is missing or wrong',
};

/** Refuses calls to the coordinator without its token, before anything of them is read. */
export function tokenGuard(token: string): ServerInterceptor {
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => {
        const listener = new ServerListenerBuilder().withOnReceiveMetadata((metadata, pass) => {
          const isOpen = !path.startsWith(`${COORDINATOR}/`) || hasToken(metadata, token);
          if (isOpen) pass(metadata);
          else call.sendStatus(UNAUTHENTICATED);
        });
        next(listener.build());
      },
    });
}
