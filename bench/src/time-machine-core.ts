/**
 * The Time Machine's core against JSON.parse over the same bytes: reading a capture into its
 * history, reading it back, comparing. After `npx tsc -b`: `node bench/dist/time-machine-core.js
 * [objects]`.
 */

import { appendSnapshot } from "../../server/dist/areas/history/rules/append.js";
import { decompressBytes } from "../../server/dist/areas/history/rules/bytes.js";
import { createCaptureBase } from "../../server/dist/areas/history/rules/capture-base.js";
import { planCompare } from "../../server/dist/areas/history/rules/compare.js";
import { readResult } from "../../server/dist/areas/history/rules/document.js";
import { NOTHING_OPEN, writeEntries } from "../../server/dist/areas/history/rules/entries.js";
import { readChain, sumChanges } from "../../server/dist/areas/history/rules/manifest.js";
import { createNames } from "../../server/dist/areas/history/rules/names-lookup.js";
import { decodePack, decodeRows, getPacks } from "../../server/dist/areas/history/rules/packs.js";
import { createSegmentRows } from "../../server/dist/areas/history/rules/segment-rows.js";
import { alignObjects, assembleText, listObjectsOfRows } from "../../server/dist/areas/history/rules/view.js";
import { createScanner, expectEnd, scanValue } from "../../server/dist/core/json/scan.js";

const ROUNDS = 9;
const objects = Number(process.argv[2] ?? 20_000);
const limits = { maxBytes: 1 << 30 };

const NAMES = [
	"annotation",
	"childAction",
	"configSt",
	"descr",
	"dn",
	"floodOnEncap",
	"lcOwn",
	"matchT",
	"modTs",
	"name",
];
const MORE = ["nameAlias", "pcEnfPref", "pcTag", "prefGrMemb", "prio", "scope", "status", "triggerSt", "txId", "uid"];

/** Numbers in 0..1 that look random and are the same in every run. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 2 ** 32;
	};
}

/**
 * An answer of `count` objects of about 500 bytes; `shuffled` reorders keys, `spaced` adds blanks.
 */
function buildResponse(count: number, drift: number, style: { shuffled?: boolean; spaced?: boolean } = {}): Buffer {
	const random = createRandom(7);
	const keys = [...NAMES, ...MORE];
	if (style.shuffled) keys.reverse();
	const rows = Array.from({ length: count }, (_, index) => {
		const values: Record<string, string> = {
			configSt: "applied",
			descr: `owned by team ${Math.floor(random() * 50)}${drift > 0 && index % Math.round(1 / drift) === 0 ? ", moved" : ""}`,
			dn: `uni/tn-tenant-${index % 40}/ap-app-${index % 7}/epg-web-${String(index).padStart(6, "0")}`,
			floodOnEncap: "disabled",
			lcOwn: "local",
			matchT: "AtleastOne",
			modTs: new Date(1.7e12 + Math.floor(random() * 1e10)).toISOString(),
			name: `web-${String(index).padStart(6, "0")}`,
			pcEnfPref: "unenforced",
			pcTag: String(Math.floor(random() * 40_000) + 16_384),
			prefGrMemb: "exclude",
			prio: "unspecified",
			scope: String(Math.floor(random() * 3e6)),
			triggerSt: "triggerable",
			txId: String(Math.floor(random() * 1e16)),
			uid: "15374",
		};
		return { fvAEPg: { attributes: Object.fromEntries(keys.map((key) => [key, values[key] ?? ""])) } };
	});
	const text = JSON.stringify({ totalCount: String(count), imdata: rows }, null, style.spaced ? 1 : undefined);
	return Buffer.from(text);
}

function measureMedian(run: () => void): number {
	const times = Array.from({ length: ROUNDS }, () => {
		const start = process.hrtime.bigint();
		run();
		return Number(process.hrtime.bigint() - start) / 1e6;
	});
	return times.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
}

function printThroughput(name: string, ms: number, bytes: number, baseline?: number): void {
	const ratio = baseline === undefined ? "" : `  ${(ms / baseline).toFixed(2)} of baseline`;
	process.stdout.write(
		`${name.padEnd(46)} ${ms.toFixed(1).padStart(7)} ms ${(bytes / 1e3 / ms).toFixed(0).padStart(6)} MB/s${ratio}\n`,
	);
}

/** Parses a capture and appends it to a history. */
function appendCapture(bytes: Buffer, state: Parameters<typeof createCaptureBase>[0] | null) {
	const base = state === null ? null : createCaptureBase(state);
	const content = readResult(bytes, limits, base)?.content;
	const appended = content ? appendSnapshot(content, base, state?.chain) : null;
	if (appended === null) throw new Error("not a document");
	return appended;
}

const plain = buildResponse(objects, 0);
const parse = measureMedian(() => JSON.parse(plain.toString("utf8")));
printThroughput(`JSON.parse of ${objects} objects (baseline)`, parse, plain.length);
for (const record of [false, true]) {
	const ms = measureMedian(() => {
		const scanner = createScanner(plain);
		scanValue(scanner, record);
		expectEnd(scanner);
	});
	printThroughput(record ? "scan with tape" : "scan", ms, plain.length, parse);
}
for (const [name, bytes] of [
	["a first capture", plain],
	["a first capture, keys out of order", buildResponse(objects, 0, { shuffled: true })],
	["a first capture, spaced", buildResponse(objects, 0, { spaced: true })],
] as const)
	printThroughput(
		name,
		measureMedian(() => appendCapture(bytes, null)),
		bytes.length,
		measureMedian(() => JSON.parse(bytes.toString("utf8"))),
	);

const start = appendCapture(plain, null);
const changed = buildResponse(objects, 0.01);
const names = start.names.map(({ payload }) => payload);
const rows = createSegmentRows(start.packs.map(decodePack));
const state = {
	counters: start.counters,
	rows,
	chain: [start.manifest],
	names: createNames(names),
};
const next = appendCapture(changed, state);
printThroughput(
	"the next capture, 1 % changed",
	measureMedian(() => appendCapture(changed, state)),
	changed.length,
	parse,
);
const spaced = buildResponse(objects, 0.01, { spaced: true });
printThroughput(
	"the next capture, spaced",
	measureMedian(() => appendCapture(spaced, state)),
	spaced.length,
	parse,
);
const countStoredBytes = (snapshot: typeof start): number =>
	snapshot.packs.reduce(
		(sum, pack) => sum + pack.hashes.length + pack.rows.length + pack.objects.length + pack.payload.length,
		0,
	) +
	snapshot.names.reduce((sum, { payload }) => sum + payload.length, 0) +
	(snapshot.manifest.payload?.length ?? 0);
process.stdout.write(
	`${plain.length} bytes become ${countStoredBytes(start)}, and ${countStoredBytes(next)} for the next one\n`,
);

const packs = [...start.packs, ...next.packs];
const createTextCache = (): ((seq: number) => Buffer) => {
	const open = new Map<number, Buffer>();
	return (seq) => {
		const text = open.get(seq) ?? decompressBytes(packs[seq]?.payload ?? new Uint8Array());
		open.set(seq, text);
		return text;
	};
};
printThroughput(
	"read back",
	measureMedian(() => {
		const manifest = readChain([start.manifest, next.manifest]);
		const wanted = new Set(getPacks(packs, manifest.versions.slice().sort()));
		const open = createTextCache();
		const given = packs.filter(({ seq }) => wanted.has(seq));
		const opened = given.map(({ seq, rows }) => ({ rows: decodeRows(rows), text: () => open(seq) }));
		assembleText(manifest, opened, changed.length);
	}),
	changed.length,
	parse,
);

const parseBoth = measureMedian(() => {
	JSON.parse(plain.toString("utf8"));
	JSON.parse(changed.toString("utf8"));
});
printThroughput("JSON.parse of both (baseline)", parseBoth, plain.length + changed.length);
function planComparison() {
	const { removed, added } = sumChanges([next.manifest]);
	const known = createNames(names);
	const side = (versions: Int32Array) => {
		const wanted = new Set(getPacks(packs, versions));
		return {
			found: listObjectsOfRows(versions, packs.filter(({ seq }) => wanted.has(seq)).map(decodePack)),
			names: known,
		};
	};
	const aligned = alignObjects(side(removed), side(added));
	return planCompare(aligned.from, aligned.to);
}
printThroughput(
	"compare of neighbours, 1 % changed, from stored form",
	measureMedian(() => {
		const open = createTextCache();
		writeEntries(
			planComparison().places,
			{ from: open, to: open },
			"lines",
			{ ignore: null, match: null },
			null,
			NOTHING_OPEN,
		);
	}),
	plain.length + changed.length,
	parseBoth,
);
printThroughput("  of which the plan", measureMedian(planComparison), plain.length + changed.length, parseBoth);
process.stdout.write(`${planComparison().total} entries\n`);
