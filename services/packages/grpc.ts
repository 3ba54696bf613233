/** What services use of gRPC; bundles carry no more of it. */
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
