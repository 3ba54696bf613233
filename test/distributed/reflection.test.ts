import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { status as codes } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor.js';
import type { grpc } from '#contracts';
import { ControlServer } from '../../services/coordinator/control-server.js';
import type { RunRequests } from '../../services/coordinator/control-requests.js';
import { controlClient } from '../../services/runtime/links/control-channel.js';
import { REFLECT } from '../../services/runtime/links/methods.js';

type Ask = grpc.reflection.v1.ServerReflectionRequest.$Properties;
type Answer = grpc.reflection.v1.ServerReflectionResponse;

const { FileDescriptorProto, FileDescriptorSet } = descriptor;
const nobody = {} as RunRequests;

describe('a client that knows nothing of the contracts', () => {
  it('learns them from the server, and calls it by what it has learnt', async () => {
    const server = new ControlServer(nobody, null, '00');
    const port = await server.listen('127.0.0.1:0', null);
    const client = controlClient(`127.0.0.1:${port}`, null);
    const { path, requestSerialize, responseDeserialize } = REFLECT.client;
    const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    const ask = asking(stream);

    const listed = await ask({ listServices: '' });
    const names = listed.listServicesResponse!.service!.map(({ name }) => name);
    assert.deepEqual(names.sort(), [
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'selvage.v1.Coordinator',
    ]);
    const root = new protobuf.Root();
    for (const name of names) {
      const told = await ask({ fileContainingSymbol: name! });
      for (const octets of told.fileDescriptorResponse!.fileDescriptorProto!) {
        const file = FileDescriptorProto.decode(octets) as unknown as { readonly name: string };
        const set = FileDescriptorSet.encode({ file: [file] }).finish();
        root.addJSON(protobuf.Root.fromDescriptor(set).nested!);
        const again = await ask({ fileByFilename: file.name });
        assert.deepEqual(again.fileDescriptorResponse!.fileDescriptorProto, [octets]);
      }
    }
    assert.ok(root.lookupService('selvage.v1.Coordinator').methods['Serve']!.requestStream);
    assert.ok(root.lookupType('selvage.v1.Report').fields['handedOverPs']);
    const nothing = await ask({ fileContainingSymbol: 'selvage.v1.Nothing' });
    assert.equal(nothing.errorResponse!.errorCode, codes.NOT_FOUND);
    stream.end();

    const { Check } = root.lookupService('grpc.health.v1.Health').methods;
    const request = root.lookupType(Check!.requestType);
    const reply = root.lookupType(Check!.responseType);
    const health = await new Promise<unknown>((resolve, reject) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        () => Buffer.from(request.encode({}).finish()),
        (octets: Buffer) => reply.toObject(reply.decode(octets), { enums: String }),
        {},
        (error, answer) => {
          if (error === null) resolve(answer);
          else reject(error);
        },
      );
    });
    assert.deepEqual(health, { status: 'SERVING' });
    client.close();
    server.close();
  });
});

/** Questions one after another over one stream. */
function asking(stream: ClientDuplexStream<Ask, Answer>): (question: Ask) => Promise<Answer> {
  return (question) =>
    new Promise((resolve, reject) => {
      stream.once('data', resolve).once('error', reject);
      stream.write(question);
    });
}
