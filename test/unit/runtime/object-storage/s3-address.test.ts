import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { s3AddressFrom } from '../../../../services/runtime/object-storage/s3-address.js';

const KEYS = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };

describe('the address of a bucket', () => {
  it('is that of AWS in its region, with the bucket in the host', () => {
    const address = s3AddressFrom('s3://runs/team/nightly/', { ...KEYS, AWS_REGION: 'eu-west-1' });
    assert.equal(address.endpoint.href, 'https://s3.eu-west-1.amazonaws.com/');
    assert.equal(address.isPathStyle, false);
    assert.deepEqual([address.bucket, address.prefix], ['runs', 'team/nightly/']);
    assert.equal(s3AddressFrom('s3://runs', KEYS).prefix, '');
    assert.equal(s3AddressFrom('s3://runs', KEYS).region, 'us-east-1');
  });

  it('is at a named endpoint, with the bucket in the path unless that is changed', () => {
    const env = { ...KEYS, AWS_ENDPOINT_URL: 'http://a:1', AWS_ENDPOINT_URL_S3: 'https://b:9000' };
    assert.equal(s3AddressFrom('s3://runs', env).endpoint.href, 'https://b:9000/');
    assert.equal(s3AddressFrom('s3://runs', env).isPathStyle, true);
    const virtual = { ...env, SELVAGE_S3_STYLE: 'virtual' };
    assert.equal(s3AddressFrom('s3://runs', virtual).isPathStyle, false);
  });

  const wrong: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      's3://',
      KEYS,
      /^Error: s3:\/\/: not a place in a bucket; write it like s3:\/\/bucket\/folder/,
    ],
    ['s3://Runs', KEYS, /not a place in a bucket/],
    ['s3://runs/../x', KEYS, /not a place in a bucket/],
    ['s3://runs/a b', KEYS, /not a place in a bucket/],
    ['s3://runs', {}, /^Error: s3:\/\/runs: AWS_ACCESS_KEY_ID is not set/],
    ['s3://runs', { AWS_ACCESS_KEY_ID: 'a' }, /: AWS_SECRET_ACCESS_KEY is not set/],
    [
      's3://runs',
      { ...KEYS, AWS_ENDPOINT_URL: 'storage:9000' },
      /AWS_ENDPOINT_URL is storage:9000/,
    ],
    [
      's3://runs',
      { ...KEYS, AWS_ENDPOINT_URL: 'http://a/b' },
      /write it like https:\/\/storage:9000/,
    ],
    ['s3://runs', { ...KEYS, SELVAGE_S3_STYLE: 'host' }, /SELVAGE_S3_STYLE is host: it is path or/],
  ];
  for (const [place, env, error] of wrong) {
    it(`is refused: ${place} with ${Object.values(env).join(', ') || 'nothing'}`, () => {
      assert.throws(() => s3AddressFrom(place, env), error);
    });
  }
});
