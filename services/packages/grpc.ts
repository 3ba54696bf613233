/** What services use of gRPC; the build writes the package itself into the compiled file. */
export {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
