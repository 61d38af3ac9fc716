/**
 * Reads the content of a segment: the text of a snapshot, and the objects that a comparison needs.
 */
import { type Objects, PLACE, sortObjects } from "./compare.ts";
import type { Manifest } from "./manifest.ts";
import type { NameMatch } from "./name-match.ts";
import type { Names } from "./names-lookup.ts";
import { type PackColumns, type PackRows, SHORT_HASH } from "./packs.ts";
import { lowerBound } from "./search.ts";

/**
 * Assembles the captured text, `bytes` long, from all packs that hold rows of it, one pack after
 * another.
 */
export function assembleText(
	{ head, tail, versions }: Manifest,
	packs: readonly { rows: PackRows; text(): Buffer }[],
	bytes: number,
): Buffer {
	const decoded = packs.map(({ rows }) => rows);
	const end = decoded.reduce((most, rows) => Math.max(most, (rows.versions.at(-1) ?? -1) + 1), 0);
	const lengths = new Int32Array(end).fill(-1);
	for (const rows of decoded)
		for (let row = 0; row < rows.versions.length; row++)
			lengths[rows.versions[row] as number] = rows.lengths[row] as number;
	// A linked list per version: the first place of the version, and the next one after each place.
	const first = new Int32Array(end).fill(-1);
	const next = new Int32Array(versions.length);
	const starts = new Int32Array(versions.length);
	let at = head.length;
	for (let place = 0; place < versions.length; place++) {
		const version = versions[place] as number;
		const length = lengths[version] ?? -1;
		if (length < 0) throw new Error(`Row version ${version} is missing`);
		starts[place] = at;
		at += length + (place + 1 < versions.length ? 1 : 0);
		next[place] = first[version] as number;
		first[version] = place;
	}
	if (at + tail.length !== bytes) throw new Error("A snapshot's rows do not add up to its size");
	const out = Buffer.allocUnsafeSlow(bytes);
	head.copy(out, 0);
	tail.copy(out, at);
	for (let place = 1; place < starts.length; place++) out[(starts[place] as number) - 1] = 0x2c;
	for (const [index, rows] of decoded.entries()) {
		const text = (packs[index] as (typeof packs)[number]).text();
		for (let row = 0; row < rows.versions.length; row++) {
			const start = rows.starts[row] as number;
			const length = rows.lengths[row] as number;
			for (let place = first[rows.versions[row] as number] as number; place >= 0; place = next[place] as number)
				text.copy(out, starts[place] as number, start, start + length);
		}
	}
	return out;
}

/** Columns of the objects of some rows of a segment, in any order. */
export interface ObjectColumns {
	entries: Int32Array;
	/** SHORT_HASH bytes each. */
	hashes: Buffer;
	/** PLACE integers each. */
	places: Int32Array;
}

/** @param versions of the rows: ascending, each as often as the snapshot has it */
export function listObjectsOfRows(versions: Int32Array, packs: readonly PackColumns[]): ObjectColumns {
	const rows = locateRows(versions, packs);
	const count = rows.reduce((sum, { pack, row }) => sum + countObjects(pack, row), 0);
	const found: ObjectColumns = {
		entries: new Int32Array(count),
		hashes: Buffer.allocUnsafeSlow(count * SHORT_HASH),
		places: new Int32Array(count * PLACE),
	};
	let at = 0;
	for (const { pack, row } of rows) {
		const { objects } = pack;
		for (let object = objects.starts[row] as number; object < (objects.starts[row + 1] as number); object++) {
			found.entries[at] = objects.entries[object] as number;
			pack.hashes.copyObject(row, object, found.hashes, at * SHORT_HASH);
			found.places[at * PLACE] = pack.seq;
			found.places[at * PLACE + 1] = pack.rows.starts[row] as number;
			found.places[at * PLACE + 2] = pack.rows.lengths[row] as number;
			found.places[at * PLACE + 3] = objects.ordinals[object] as number;
			at++;
		}
	}
	return found;
}

interface Located {
	pack: PackColumns;
	row: number;
}

/** The rows that hold the versions. Versions that no pack has are skipped. */
function locateRows(versions: Int32Array, packs: readonly PackColumns[]): Located[] {
	const found: Located[] = [];
	for (const pack of packs) {
		const own = pack.rows.versions;
		let row = 0;
		for (let at = lowerBound(versions, pack.firstVersion); (versions[at] as number) <= pack.lastVersion; at++) {
			row = lowerBound(own, versions[at] as number, row);
			if (own[row] === versions[at]) found.push({ pack, row });
		}
	}
	return found;
}

function countObjects({ objects: { starts } }: PackColumns, row: number): number {
	return (starts[row + 1] as number) - (starts[row] as number);
}

interface FoundObjects {
	found: ObjectColumns;
	names: Names;
}

/** Objects of two snapshots, sorted by dn. Equal dns have equal keys on both sides. */
export function alignObjects(from: FoundObjects, to: FoundObjects): { from: Objects; to: Objects } {
	return alignBy(from, to, (dns) => dns.sort());
}

/**
 * The same, sorted by name and then by dn. `nameNumbers` has the rank of the name for each rank of
 * a dn.
 */
export function alignNames(
	from: FoundObjects,
	to: FoundObjects,
	{ getKey }: Pick<NameMatch, "getKey">,
): { from: Objects; to: Objects; nameNumbers: Int32Array } {
	let nameNumbers = new Int32Array(0);
	const aligned = alignBy(from, to, (dns) => {
		const byName = dns.map((dn) => ({ dn, name: getKey(dn) }));
		byName.sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.dn, b.dn));
		nameNumbers = new Int32Array(dns.length);
		for (let at = 1; at < byName.length; at++)
			nameNumbers[at] = (nameNumbers[at - 1] as number) + (byName[at]?.name === byName[at - 1]?.name ? 0 : 1);
		return byName.map(({ dn }) => dn);
	});
	return { ...aligned, nameNumbers };
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** @param sortDns sorts the distinct dns, whose indexes become the keys */
function alignBy(
	from: FoundObjects,
	to: FoundObjects,
	sortDns: (dns: string[]) => string[],
): { from: Objects; to: Objects } {
	const [fromDns, toDns] = [listDns(from), listDns(to)];
	const dns = sortDns([...new Set([...fromDns.values(), ...toDns.values()])]);
	const ranks = new Map(dns.map((dn, rank) => [dn, rank]));
	const rankIn = (own: ReadonlyMap<number, string>) => (entry: number) => ranks.get(own.get(entry) ?? "") ?? 0;
	return {
		from: sortObjects(from.found, rankIn(fromDns), from.names),
		to: sortObjects(to.found, rankIn(toDns), to.names),
	};
}

/** The dn of each entry that occurs. Ascending entries are decoded fastest. */
function listDns({ found, names }: FoundObjects): Map<number, string> {
	const entries = [...new Set(found.entries.slice().sort())];
	return new Map(entries.map((entry) => [entry, names.getDn(entry)]));
}

interface Rows {
	versions: Int32Array;
	columns: readonly PackColumns[];
}

/**
 * Versions of the rows that only one of two snapshots of different segments has. Rows with equal
 * texts cannot differ, if no dn occurs twice.
 */
export function findDifferingVersions(from: Rows, to: Rows): { from: Int32Array; to: Int32Array } {
	const texts = new Map<string, number>();
	const common = new Set<number>();
	iterateTexts(to, (text, version) => texts.set(text, version));
	const left: number[] = [];
	iterateTexts(from, (text, version) => {
		const other = texts.get(text);
		if (other === undefined) left.push(version);
		else common.add(other);
	});
	return { from: Int32Array.from(left).sort(), to: to.versions.filter((version) => !common.has(version)) };
}

function iterateTexts({ versions, columns }: Rows, visit: (text: string, version: number) => void): void {
	const wanted = new Set(versions);
	for (const { rows, hashes } of columns)
		for (const [row, version] of rows.versions.entries())
			if (wanted.has(version))
				visit(hashes.texts.toString("latin1", row * SHORT_HASH, (row + 1) * SHORT_HASH), version);
}
