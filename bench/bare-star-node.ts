import { connect } from '@nats-io/transport-node';

// A process of a bare star over a broker: the hub sends to every leaf, and again when all have
// answered; a leaf answers.
//   bare-star-node.js PORT NUMBER LEAVES OCTETS     number 0 is the hub

const [port = 0, number = 0, leaves = 0, octets = 0] = process.argv.slice(2).map(Number);
const client = await connect({ port });
const payload = new Uint8Array(octets);

if (number > 0) {
  client.subscribe(`leaf.${number}`, {
    callback: () => {
      client.publish('hub', payload);
    },
  });
} else {
  let missing = 0;
  let turns = 0;
  const turn = (): void => {
    missing = leaves;
    for (let leaf = 1; leaf <= leaves; leaf++) client.publish(`leaf.${leaf}`, payload);
  };
  client.subscribe('hub', {
    callback: () => {
      if (--missing > 0) return;
      if (--turns > 0) turn();
      else process.send!('done');
    },
  });
  process.on('message', (wanted: number) => {
    turns = wanted;
    turn();
  });
}
await client.flush();
process.send!('ready');
