import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkLinesOf } from '../../../../../services/fabric/topology/drawing/link-lines.js';
import { shortNames } from '../../../../../services/fabric/topology/drawing/labels.js';
import { layersOf } from '../../../../../services/fabric/topology/drawing/layers.js';
import { layOut } from '../../../../../services/fabric/topology/drawing/layout.js';
import { topologyDot } from '../../../../../services/fabric/topology/drawing/topology-dot.js';
import { topologySvg } from '../../../../../services/fabric/topology/drawing/topology-svg.js';
import { topologyText } from '../../../../../services/fabric/topology/drawing/topology-text.js';
import type { Topology } from '../../../../../services/fabric/topology/topology.js';
import { build, buildExplicit, SMALL } from '../fabrics.js';

const LEAF_SPINE = build({ kind: 'leaf-spine', leaves: 3, spines: 2, hostsPerLeaf: 2 });

function layerByName(topology: Topology): Record<string, number> {
  const layers = layersOf(topology);
  return Object.fromEntries(topology.devices.map(({ name }, i) => [name, layers[i]!]));
}

/** The names of elements that were opened and not closed, or closed and not opened. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  for (const [, closing, name, empty] of xml.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (empty === '/') continue;
    if (closing === '') open.push(name!);
    else if (open.pop() !== name) return [name!];
  }
  return open;
}

describe('short names', () => {
  it('join numbers in a row, with their step if it is not one', () => {
    assert.equal(shortNames(['h1', 'h2', 'h3', 'spine1', 'spine2']), 'h1..h3 spine1 spine2');
    assert.equal(shortNames(['agg1', 'agg3', 'agg5', 'x', 's9', 's8']), 'agg1,agg3..agg5 x s9 s8');
    assert.equal(shortNames(['s2', 's2', 's2', 'nas']), 's2 s2 s2 nas');
  });
});

describe('layers', () => {
  it('count from the hosts, the same for all of a tier', () => {
    const layers = layerByName(build({ kind: 'fat-tree', k: 2 }));
    assert.deepEqual(
      [layers['h1'], layers['edge1'], layers['agg1'], layers['core1']],
      [0, 1, 2, 3],
    );
  });

  it('count from the hosts for each switch that has no tier', () => {
    const links = ['h1 l1', 'h2 l2', 'l1 s1', 'l2 s1', 'l1 s2', 'l2 s2'];
    assert.deepEqual(layerByName(buildExplicit('h1 h2 l1 l2 s1 s2', links)), {
      ...{ h1: 0, h2: 0, l1: 1, l2: 1, s1: 2, s2: 2 },
    });
  });
});

describe('topology as text', () => {
  it('says what is plugged in where', () => {
    assert.equal(
      topologyText(LEAF_SPINE),
      [
        '6 hosts, 5 switches, 12 links',
        '',
        'device  tier   ports  linked to',
        'spine1  spine  3      p1-p3 leaf1..leaf3',
        'spine2  spine  3      p1-p3 leaf1..leaf3',
        'leaf1   leaf   4      p1-p2 h1 h2, p3-p4 spine1 spine2',
        'leaf2   leaf   4      p1-p2 h3 h4, p3-p4 spine1 spine2',
        'leaf3   leaf   4      p1-p2 h5 h6, p3-p4 spine1 spine2',
        '',
        'links  between       rate      delay',
        '6      host - leaf   100 Gb/s  25 ns',
        '6      leaf - spine  400 Gb/s  500 ns',
        '',
      ].join('\n'),
    );
  });

  it('shows hosts that are linked to hosts', () => {
    const lines = topologyText(build({ kind: 'pair' })).split('\n');
    assert.equal(lines[0], '2 hosts, 0 switches, 1 link');
    assert.equal(lines[3], 'h1      host  1      p1 h2');
  });
});

describe('topology as DOT', () => {
  it('has every device once in a rank and every link with its ports', () => {
    const dot = topologyDot(LEAF_SPINE);
    assert.deepEqual(dot.match(/\{ rank=same; .* \}/g), [
      '{ rank=same; "spine1"; "spine2" }',
      '{ rank=same; "leaf1"; "leaf2"; "leaf3" }',
      '{ rank=same; "h1"; "h2"; "h3"; "h4"; "h5"; "h6" }',
    ]);
    assert.equal(dot.match(/ -- /g)!.length, 12);
    assert.ok(
      dot.includes('"spine2" -- "leaf3" [tooltip="spine2:p3 - leaf3:p4, 400 Gb/s, 500 ns"]'),
    );
  });
});

describe('topology as SVG', () => {
  it('is well-formed, with a box for every device and a line for every link', () => {
    for (const generator of SMALL) {
      const fabric = build(generator);
      const svg = topologySvg(fabric);
      assert.deepEqual(unbalanced(svg), []);
      for (const { name } of fabric.devices) {
        assert.equal(svg.split(`>${name}</text>`).length, 2, `${generator.kind} ${name}`);
      }
      assert.equal(svg.match(/<title>/g)!.length, fabric.links.length);
      assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    }
  });

  it('has no boxes that touch or leave the picture', () => {
    for (const generator of SMALL) {
      const { boxes, width, height } = layOut(build(generator));
      for (const box of boxes) {
        assert.ok(box.x - box.width / 2 >= 0 && box.x + box.width / 2 <= width, box.label);
        assert.ok(box.y - box.height / 2 >= 0 && box.y + box.height / 2 <= height, box.label);
        for (const other of boxes) {
          if (other === box || other.layer !== box.layer) continue;
          const across = Math.abs(box.x - other.x) - (box.width + other.width) / 2;
          const down = Math.abs(box.y - other.y) - (box.height + other.height) / 2;
          const gap = Math.max(across, down);
          assert.ok(gap >= 4, `${generator.kind}: ${box.label} and ${other.label}`);
        }
      }
    }
  });

  it('puts the switches of two tiers of one size right above each other', () => {
    const layout = layOut(build({ kind: 'fat-tree', k: 4 }));
    const centre = (label: string): number => layout.boxes.find((box) => box.label === label)!.x;
    assert.ok(Math.abs(centre('agg3') - centre('edge3')) < 1e-6);
  });

  it('bends a link over boxes that stand in its way, and keeps parallel links apart', () => {
    const row = ['h1 s1', 'h2 s2', 'h3 s3', 's1 s2', 's2 s3', 's1 s3', 'h4 s4', 's1 s4'];
    const mesh = buildExplicit('h1 h2 h3 h4 s1 s2 s3 s4', row);
    const arcs = linkLinesOf(mesh, layOut(mesh)).map(({ arc }) => arc);
    assert.deepEqual(arcs, [false, false, false, false, false, true, false, true]);
    const twice = buildExplicit('s1 s2', ['s1 s2', 's1 s2']);
    const [one, two] = linkLinesOf(twice, layOut(twice));
    assert.notEqual(one!.path, two!.path);
  });

  it('draws two leaves below two spines in rows, though their links are a circle', () => {
    const square = build({ kind: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 3 });
    assert.equal(layOut(square).isRing, false);
    const leaf = layOut(square).boxes.find(({ label }) => label === 'leaf1')!;
    const spine = layOut(square).boxes.find(({ label }) => label === 'spine1')!;
    assert.ok(spine.y < leaf.y);
  });

  it('draws rings of any size as rings, hosts outside, and nothing else', () => {
    for (const switches of [3, 4, 5, 8, 13, 24]) {
      for (const hostsPerSwitch of [0, 1, 2, 5]) {
        const ring = build({ kind: 'ring', switches, hostsPerSwitch });
        const layout = layOut(ring);
        assert.equal(layout.isRing, true, `${switches} switches`);
        const middle = { x: layout.width / 2, y: layout.height / 2 };
        const angles = layout.boxes
          .filter(({ layer }) => layer > 0)
          .map(({ x, y }) => Math.atan2(y - middle.y, x - middle.x));
        // Clockwise from the top, once around.
        const turns = angles.map((angle, i) => angle - (angles[i - 1] ?? -Math.PI / 2));
        assert.ok(turns.slice(1).filter((turn) => turn < 0).length <= 1, `${switches}`);
        for (const box of layout.boxes) {
          for (const other of layout.boxes) {
            const across = Math.abs(box.x - other.x) - (box.width + other.width) / 2;
            const down = Math.abs(box.y - other.y) - (box.height + other.height) / 2;
            const names = `${switches}, ${hostsPerSwitch}: ${box.label} and ${other.label}`;
            assert.ok(box === other || Math.max(across, down) >= 4, names);
          }
        }
        for (const { path } of linkLinesOf(ring, layout)) {
          assert.match(path, /^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
        }
      }
    }
    for (const links of [
      ['s1 s2', 's2 s3'],
      ['s1 s2', 's2 s3', 's3 s1', 's3 s4'],
      ['s1 s2', 's2 s3', 's3 s1', 's4 s5', 's5 s6', 's6 s4'],
    ]) {
      const names = [...new Set(links.flatMap((link) => link.split(' ')))].sort().join(' ');
      assert.equal(layOut(buildExplicit(names, links)).isRing, false, links.join());
    }
  });

  it('joins the hosts of a switch where there are many', () => {
    const svg = topologySvg(build({ kind: 'leaf-spine', leaves: 4, spines: 2, hostsPerLeaf: 16 }));
    assert.ok(svg.includes('>h17..h32</text>'));
    assert.equal(svg.match(/<title>/g)!.length, 4 + 8);
  });

  it('writes names and colours for light and dark', () => {
    const svg = topologySvg(buildExplicit('h&1 s<1', ['h&1 s<1']));
    assert.ok(svg.includes('>h&amp;1</text>') && svg.includes('>s&lt;1</text>'));
    assert.match(svg, /prefers-color-scheme:dark/);
  });
});
