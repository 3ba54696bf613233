import { connect } from '@nats-io/transport-node';

// Answers every message of a broker with the same octets: the other end of a round trip.

const client = await connect({ port: Number(process.argv[2]) });
client.subscribe('there', {
  callback: (_, { data }) => {
    client.publish('back', data);
  },
});
await client.flush();
process.send!('ready');
