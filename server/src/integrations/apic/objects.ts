/** The objects of an answer, parsed or not. */
import { parseExact } from "@weft/contracts/exact-json";
import type { PageScan } from "./page-scan.ts";
import type { ControllerObject } from "./port.ts";

export interface Objects {
	readonly count: number;
	/** The one class of all of them, where it is known without parsing. */
	readonly className: string | null;
	/** One for each object; undefined where it has none. */
	dns(): readonly (string | undefined)[];
	rows(): readonly ControllerObject[];
	/** The first ones, `count` at most. */
	first(count: number): readonly ControllerObject[];
}

export function listParsedObjects(rows: readonly ControllerObject[]): Objects {
	return {
		count: rows.length,
		className: null,
		dns: () => rows.map(getDn),
		rows: () => rows,
		first: (count) => rows.slice(0, count),
	};
}

/** Objects that are parsed on first use. `body` must be the answer that `scan` describes. */
export function listScannedObjects(body: Buffer, { dns, className, start, ends }: PageScan): Objects {
	let all: readonly ControllerObject[] | null = null;
	function parseRows(): readonly ControllerObject[] {
		all ??= (parseExact(body.toString("utf8")) as { imdata: ControllerObject[] }).imdata;
		return all;
	}
	return {
		count: dns.length,
		className,
		dns: () => dns,
		rows: parseRows,
		first(count) {
			const end = ends[Math.min(count, dns.length) - 1];
			if (all !== null || end === undefined) return parseRows().slice(0, count);
			return parseExact(`[${body.toString("utf8", start, end)}]`) as ControllerObject[];
		},
	};
}

/** All but the first `count`. */
export function skipObjects(objects: Objects, count: number): Objects {
	if (count === 0) return objects;
	return {
		count: Math.max(0, objects.count - count),
		className: objects.className,
		dns: () => objects.dns().slice(count),
		rows: () => objects.rows().slice(count),
		first: (wanted) => objects.first(count + wanted).slice(count),
	};
}

function getDn(row: ControllerObject): string | undefined {
	for (const name in row) return row[name]?.attributes?.dn;
	return undefined;
}
