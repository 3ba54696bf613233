import { BenchFabric } from '../../otg/bench-fabric.js';
import { Lab } from '../../otg/lab.js';
import type { Json } from '../../otg/part.js';
import { OtgServer } from '../../otg/server.js';
import { loadScenario, scenarioOfText } from '../../fabric/scenario/load-scenario.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { asicOf, readSwitches } from '../../sonic/read.js';
import { scenarioOf } from '../../sonic/scenario.js';
import { InputError } from '../exit.js';
import { inputErrors, type SonicOptions } from './sonic.js';

export interface ServeOptions extends SonicOptions {
  readonly host: string;
  readonly port: string;
}

/** Answers until it is interrupted. */
export async function otgServe(files: readonly string[], options: ServeOptions): Promise<void> {
  if (!/^\d{1,5}$/.test(options.port) || Number(options.port) > 65_535) {
    throw new InputError(`--port ${options.port}: a number from 0 to 65535`);
  }
  prepareEngine();
  const fabric = inputErrors(() => benchOf(files, options));
  const server = new OtgServer(new Lab(fabric));
  const port = await server.listen(options.host, Number(options.port));
  process.stdout.write(`http://${options.host}:${port}\n`);
  for (const { host, peer, interface: name } of fabric.hosts) {
    process.stdout.write(`  ${host}: at ${peer}${name === null ? '' : ` (${name})`}\n`);
  }
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.close();
}

/** Of a scenario, or of the files of switches: these have a table of DSCPs. */
function benchOf(files: readonly string[], options: SonicOptions): BenchFabric {
  const [file] = files as [string];
  if (/\.ya?ml$/.test(file)) {
    if (files.length > 1) throw new InputError(`${files[1]!}: a scenario is one file`);
    return new BenchFabric(file, loadScenario(file, { set: [] }).document as Json);
  }
  const { pgProfiles } = options;
  const switches = readSwitches({ files, ...(pgProfiles !== undefined && { pgProfiles }) });
  const scenario = scenarioOf(switches, asicOf(options.asic, switches[0]!.hwsku));
  const document = scenarioOfText(file, scenario.text).document as Json;
  return new BenchFabric(file, document, (peer, dscp) => {
    const place = scenario.ports.find(({ device, number }) => `${device}:p${number}` === peer);
    const { classOfDscp = null, classOfPcp = null } = place?.port ?? {};
    return classOfDscp?.[dscp] ?? classOfPcp?.[0] ?? 0;
  });
}
