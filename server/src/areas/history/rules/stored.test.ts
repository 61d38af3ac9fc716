/**
 * Histories of captures and deletions in the domain alone: whatever happens, each snapshot's text
 * comes back.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getText, listDns, planAlone, planChanges, storeAlone } from "../../../../test/support/stored-snapshots.ts";
import { listChangesBetween } from "../workers/compare-plan.ts";
import { type AppendOptions, appendSnapshot } from "./append.ts";
import { type Counters, createCaptureBase } from "./capture-base.ts";
import { listNeededPacks } from "./compare.ts";
import { readResult } from "./document.ts";
import { readChain } from "./manifest.ts";
import { iterateNames, pruneNames, type StoredNames } from "./names.ts";
import { createNames } from "./names-lookup.ts";
import { decodePack, type StoredPack } from "./packs.ts";
import { getEntries, rebaseSegment, repackRows, type SegmentManifest } from "./rebase.ts";
import { createSegmentRows } from "./segment-rows.ts";
import { createVerifier } from "./verify.ts";

interface Segment {
	counters: Counters;
	packs: StoredPack[];
	names: StoredNames[];
	manifests: (SegmentManifest & { distinct: boolean; looseHash: Buffer })[];
}

/** A history as the store keeps it, in memory. */
function createHistoryModel(options: AppendOptions) {
	let segments: Segment[] = [];
	const sizes = new Map<string, number>();
	const known = new Map<string, { hash: string; rows: number }>();
	let position = 0;

	function findSnapshot(id: string) {
		for (const segment of segments) {
			const at = segment.manifests.findIndex(({ snapshotId }) => snapshotId === id);
			const manifest = segment.manifests[at];
			if (manifest !== undefined) return { segment, manifest, chain: chainTo(segment, at) };
		}
		throw new Error(`${id} is gone`);
	}
	function chainTo({ manifests }: Segment, at: number): SegmentManifest[] {
		let start = at;
		while (!manifests[start]?.whole) start--;
		return manifests.slice(start, at + 1);
	}
	const payloads = ({ names }: Segment) => names.map(({ payload }) => payload);

	return {
		capture(id: string, text: string): void {
			const last = segments.at(-1);
			const chain = last === undefined ? [] : chainTo(last, last.manifests.length - 1);
			const base =
				last === undefined
					? null
					: createCaptureBase({
							counters: last.counters,
							rows: createSegmentRows(last.packs.map(decodePack)),
							names: createNames(payloads(last)),
							chain,
						});
			const limits = { maxBytes: 1 << 26 };
			let content = readResult(Buffer.from(text), limits, base)?.content;
			if (!content) throw new Error("not a document");
			const { hash } = content;
			let appended = appendSnapshot(content, base, chain, options);
			if (appended === null) {
				content = readResult(Buffer.from(text), limits)?.content;
				appended = content ? appendSnapshot(content, null, [], options) : null;
			}
			if (appended === null || !content) throw new Error("A segment of its own cannot be full");
			expect(hash).toBe(storeAlone(text).content.hash);
			const segment =
				appended.startsSegment || !last ? { counters: appended.counters, packs: [], names: [], manifests: [] } : last;
			if (segment !== last) segments.push(segment);
			segment.counters = appended.counters;
			segment.packs.push(...appended.packs);
			segment.names.push(...appended.names);
			const { distinct, looseHash } = content;
			segment.manifests.push({ ...appended.manifest, snapshotId: id, position: position++, distinct, looseHash });
			sizes.set(id, content.text.length);
			known.set(id, { hash, rows: content.slots.length });
		},
		remove(ids: ReadonlySet<string>): void {
			for (const segment of segments) {
				const { changed, rewritten, dropped, alive } = rebaseSegment(segment.manifests, segment.packs, ids);
				const replaced = new Set([...dropped, ...rewritten.flat()]);
				const again = rewritten.flatMap((group) => {
					const packs = repackRows(
						segment.packs.filter(({ seq }) => group.includes(seq)),
						alive,
						segment.counters.nextPack,
						options.packBytes,
					);
					segment.counters.nextPack += packs.length;
					return packs;
				});
				segment.packs = [...segment.packs.filter(({ seq }) => !replaced.has(seq)), ...again].sort(
					(a, b) => a.firstVersion - b.firstVersion,
				);
				const entries = getEntries(segment.packs);
				segment.names = segment.names.flatMap(({ first, payload }) => {
					const left = pruneNames(payload, (entry) => entries.has(entry));
					return left === null ? [{ first, payload }] : left.length === 0 ? [] : [{ first, payload: left }];
				});
				const anew = new Map(changed.map((manifest) => [manifest.snapshotId, manifest]));
				segment.manifests = segment.manifests
					.filter(({ snapshotId }) => !ids.has(snapshotId))
					.map((manifest) => ({ ...manifest, ...anew.get(manifest.snapshotId) }));
			}
			segments = segments.filter(({ manifests }) => manifests.length > 0);
		},
		text(id: string): string {
			const { segment, chain } = findSnapshot(id);
			return getText(readChain(chain), segment.packs, sizes.get(id) ?? 0);
		},
		plan(from: string, to: string) {
			const [left, right] = [findSnapshot(from), findSnapshot(to)];
			if (left.segment !== right.segment) return planAlone(storeAlone(this.text(from)), storeAlone(this.text(to)));
			const { segment } = left;
			const distinct = left.manifest.distinct && right.manifest.distinct;
			const changes = listChangesBetween(segment.manifests, left.manifest, right.manifest, distinct);
			return planChanges(changes, segment.packs, payloads(segment));
		},
		/** What a check of all segments finds wrong. */
		problems: () =>
			segments.flatMap(({ packs, manifests }) => {
				const verifier = createVerifier();
				for (const pack of packs) verifier.addPack(pack);
				const recorded = manifests.map((manifest) => ({
					...manifest,
					...(known.get(manifest.snapshotId) ?? { hash: "", rows: 0 }),
					bytes: sizes.get(manifest.snapshotId) ?? 0,
				}));
				return verifier.check(recorded).filter((problem) => problem !== null);
			}),
		names: () => segments.flatMap(({ names }) => [...iterateNames(names.map(({ payload }) => payload))]),
		/** Of packs, names and manifests. */
		bytes: () =>
			segments
				.flatMap(({ packs, names, manifests }) => [
					...packs.flatMap(({ rows, objects, hashes, payload }) => [rows, objects, hashes, payload]),
					...names.map(({ payload }) => payload),
					...manifests.map(({ payload }) => payload ?? new Uint8Array()),
				])
				.reduce((sum, { byteLength }) => sum + byteLength, 0),
		packCount: () => segments.reduce((sum, { packs }) => sum + packs.length, 0),
	};
}
type HistoryModel = ReturnType<typeof createHistoryModel>;

const row = fc.oneof(
	fc.record({ dn: fc.constantFrom("a", "b", "c", "ü/😀", "x\u0000y"), v: fc.nat({ max: 3 }) }).map((attributes) => ({
		fvBD: { attributes },
	})),
	fc.record({ dn: fc.constantFrom("t", "u"), k: fc.constantFrom("1", "2") }).map((attributes) => ({
		fvTenant: {
			attributes: { k: attributes.k, dn: attributes.dn },
			children: [{ fvAp: { attributes: { rn: "ap", v: attributes.k } } }],
		},
	})),
	fc.constantFrom<unknown>(1, "x", null, {}, { x: 1 }, { dn: "a", className: "other" }),
);
const document = fc.oneof(
	fc.array(row, { maxLength: 12 }).map((imdata) => JSON.stringify({ totalCount: String(imdata.length), imdata })),
	fc.array(row, { maxLength: 6 }).map((rows) => JSON.stringify(rows)),
	fc.constantFrom("{}", "[]", '{"a":1}', '{"imdata":[]}', '{"imdata":[],"imdata":[1.0,1e400]}'),
);
const command = fc.oneof(
	{ weight: 4, arbitrary: document.map((text) => ({ text })) },
	{ weight: 1, arbitrary: fc.nat({ max: 30 }).map((again) => ({ again })) },
	{ weight: 2, arbitrary: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 }).map((remove) => ({ remove })) },
);

function expectEqual(model: HistoryModel, texts: Map<string, string>): void {
	for (const [id, text] of texts) expect(model.text(id)).toBe(text);
	expect(model.problems()).toEqual([]);
	const dns = new Set([...texts.values()].flatMap((text) => [...listDns(text)]));
	expect(new Set(model.names().map(({ dn }) => dn))).toEqual(dns);
}

describe("a history", () => {
	test.each([
		{ chain: 3, packBytes: 60, rows: 10 },
		{ chain: 64, packBytes: 1 << 18, rows: 1000 },
		{ chain: 2, packBytes: 1, rows: 1_000_000 },
	])("gives every text back after any captures and deletions (%j)", (options) => {
		fc.assert(
			fc.property(fc.array(command, { minLength: 1, maxLength: 30 }), (commands) => {
				const model = createHistoryModel(options);
				const texts = new Map<string, string>();
				for (const [serial, given] of commands.entries()) {
					if ("remove" in given) {
						const ids = [...texts.keys()];
						const gone = new Set(given.remove.flatMap((at) => (at < ids.length ? [ids[at] as string] : [])));
						model.remove(gone);
						for (const id of gone) texts.delete(id);
					} else {
						const text = "text" in given ? given.text : ([...texts.values()][given.again] ?? "[]");
						model.capture(`s${serial}`, text);
						texts.set(`s${serial}`, text);
					}
				}
				expectEqual(model, texts);
				const ids = [...texts.keys()];
				for (const [at, from] of ids.entries()) {
					for (const to of [ids[at + 1], ids[0], from]) {
						if (to === undefined) continue;
						const { places, ...plan } = model.plan(from, to);
						const alone = (id: string) => storeAlone(texts.get(id) ?? "");
						const { places: naive, ...expected } = planAlone(alone(from), alone(to));
						expect(plan).toEqual(expected);
						expect(places.length).toBe(naive.length);
						expect(listNeededPacks(places).from.length).toBeLessThanOrEqual(model.packCount());
					}
				}
			}),
			{ numRuns: 60 },
		);
	});

	test("keeps equal rows once, and a snapshot of the same text for nothing", () => {
		const model = createHistoryModel({});
		const rows = (drift: number) =>
			JSON.stringify(
				Array.from({ length: 2000 }, (_, i) => ({
					fvBD: { attributes: { dn: `uni/bd-${i}`, noise: Math.imul(i + 1, 2654435761), v: i === drift ? 1 : 0 } },
				})),
			);
		model.capture("first", rows(-1));
		const once = model.bytes();
		model.capture("again", rows(-1));
		expect(model.bytes()).toBe(once);
		for (let i = 0; i < 20; i++) model.capture(`drift ${i}`, rows(i));
		model.capture("back", rows(-1));
		expect(model.bytes()).toBeLessThan(once * 1.2);
		model.remove(new Set(Array.from({ length: 20 }, (_, i) => `drift ${i}`)));
		expect(model.bytes()).toBe(once);
		expect(model.text("back")).toBe(rows(-1));
	});
});
