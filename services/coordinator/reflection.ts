import { status as codes } from '@grpc/grpc-js';
import type { grpc } from '#contracts';
import { FILES } from '#descriptors';

type Request = grpc.reflection.v1.ServerReflectionRequest.$Properties;
type Response = grpc.reflection.v1.ServerReflectionResponse.$Properties;

/** gRPC server reflection (v1) of the server's contracts. */
export function reflect(request: Request): Response {
  return { validHost: request.host ?? '', originalRequest: request, ...answerTo(request) };
}

function answerTo(request: Request): Response {
  const { listServices, fileByFilename, fileContainingSymbol, fileContainingExtension } = request;
  if (typeof listServices === 'string') {
    const service = FILES.flatMap(({ services }) => services.map((name) => ({ name })));
    return { listServicesResponse: { service } };
  }
  if (typeof fileByFilename === 'string') {
    return fileWhere(fileByFilename, ({ name }) => name === fileByFilename);
  }
  if (typeof fileContainingSymbol === 'string') {
    const wanted = fileContainingSymbol;
    return fileWhere(wanted, ({ symbols }) => symbols.includes(wanted));
  }
  const wanted = request.allExtensionNumbersOfType ?? fileContainingExtension?.containingType;
  return notFound(`there are no extensions of ${wanted ?? 'anything'}`);
}

function fileWhere(wanted: string, fits: (file: (typeof FILES)[number]) => boolean): Response {
  const file = FILES.find(fits);
  if (file === undefined) return notFound(`there is no ${wanted}`);
  return {
    fileDescriptorResponse: { fileDescriptorProto: [Buffer.from(file.octets, 'base64')] },
  };
}

function notFound(errorMessage: string): Response {
  return { errorResponse: { errorCode: codes.NOT_FOUND, errorMessage } };
}
