// Describes the contracts as descriptors (descriptor.proto), for clients that use server
// reflection: one file per package, as protobufjs merges them.

import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';

/** Text of a module with the descriptors of these sources. */
export function descriptorModule(folder, sources) {
  const root = new protobuf.Root();
  root.resolvePath = (_, path) => (sources.includes(path) ? path : `${folder}/${path}`);
  root.loadSync(sources, { keepCase: true });
  root.resolveAll();
  const files = root.toDescriptor('proto3').file.map((file) => {
    qualify(root, file);
    const octets = descriptor.FileDescriptorProto.encode(file).finish();
    return {
      name: file.name,
      services: file.service.map(({ name }) => `${file.package}.${name}`),
      symbols: symbolsOf(file, file.package),
      octets: Buffer.from(octets).toString('base64'),
    };
  });
  return `export const FILES = ${JSON.stringify(files, null, 2)};\n`;
}

export const TYPES = `export interface DescribedFile {
  readonly name: string;
  readonly services: readonly string[];
  readonly symbols: readonly string[];
  /** A FileDescriptorProto, serialised and in base64. */
  readonly octets: string;
}
export const FILES: readonly DescribedFile[];
`;

/** Names of types are written in full, with a dot before them, as compilers of contracts do. */
function qualify(root, file) {
  const visit = (message, scope) => {
    const type = root.lookupType(`${scope}.${message.name}`);
    for (const field of message.field) {
      const { resolvedType } = type.fieldsById[field.number];
      if (resolvedType) field.typeName = resolvedType.fullName;
    }
    for (const nested of message.nestedType) visit(nested, `${scope}.${message.name}`);
  };
  for (const message of file.messageType) visit(message, file.package);
  for (const service of file.service) {
    const { methods } = root.lookupService(`${file.package}.${service.name}`);
    for (const method of service.method) {
      method.inputType = methods[method.name].resolvedRequestType.fullName;
      method.outputType = methods[method.name].resolvedResponseType.fullName;
    }
  }
}

function symbolsOf(file, scope) {
  const own = (entries) => entries.map(({ name }) => `${scope}.${name}`);
  const within = (message, outer) => [
    `${outer}.${message.name}`,
    ...message.enumType.map(({ name }) => `${outer}.${message.name}.${name}`),
    ...message.nestedType.flatMap((nested) => within(nested, `${outer}.${message.name}`)),
  ];
  return [
    ...own(file.enumType),
    ...file.messageType.flatMap((message) => within(message, scope)),
    ...file.service.flatMap(({ name, method }) => [
      `${scope}.${name}`,
      ...method.map((entry) => `${scope}.${name}.${entry.name}`),
    ]),
  ];
}
