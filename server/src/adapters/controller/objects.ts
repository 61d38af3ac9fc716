/** The objects of an answer, parsed or not. */

import type { ControllerObject } from "../../ports/controller.ts";
import type { PageScan } from "./page-scan.ts";

export interface Objects {
	readonly count: number;
	/** The one class of all of them, where it is known without parsing. */
	readonly className: string | null;
	/** One for each object; undefined where it has none. */
	dns(): readonly (string | undefined)[];
	rows(): readonly ControllerObject[];
}

export function parsedObjects(rows: readonly ControllerObject[]): Objects {
	return { count: rows.length, className: null, dns: () => rows.map(dnOf), rows: () => rows };
}

/** Objects that are parsed when they are asked for, and only once. `body` is known to be an answer of `scan`'s form. */
export function scannedObjects(body: Buffer, { dns, className }: PageScan): Objects {
	let rows: readonly ControllerObject[] | null = null;
	const parse = () => (JSON.parse(body.toString("utf8")) as { imdata: ControllerObject[] }).imdata;
	return {
		count: dns.length,
		className,
		dns: () => dns,
		rows: () => {
			rows ??= parse();
			return rows;
		},
	};
}

/** All but the first `count`. */
export function without(objects: Objects, count: number): Objects {
	if (count === 0) return objects;
	return {
		count: Math.max(0, objects.count - count),
		className: objects.className,
		dns: () => objects.dns().slice(count),
		rows: () => objects.rows().slice(count),
	};
}

function dnOf(row: ControllerObject): string | undefined {
	for (const name in row) return row[name]?.attributes?.dn;
	return undefined;
}
