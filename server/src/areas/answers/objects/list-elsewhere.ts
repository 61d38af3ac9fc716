/** The object of the same name on other connections, and the attributes that differ there. */
import { OBJECT_LIMITS, type ObjectAnswer } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { nameMatch } from "../find/rules/names.ts";
import { createKey } from "../find/update-index.ts";
import { readValues } from "./read-values.ts";
import { listFabricDifferences, type Values } from "./rules/attributes.ts";
import { findCounterparts } from "./rules/counterparts.ts";
import { listNamesakes } from "./sql.ts";

/** Objects of one name in latest snapshots that are looked at, over all connections. */
const NAMESAKES_MAX = 5_000;

interface Elsewhere {
	readonly elsewhere: ObjectAnswer["elsewhere"];
	/** Whether there are more than these. */
	readonly hasMore: boolean;
}

export async function listElsewhere(
	ctx: Context,
	caller: Caller,
	of: { connectionId: string; dn: string; className: string; values: Values },
	signal: AbortSignal,
): Promise<Elsewhere> {
	const name = nameMatch.getKey(of.dn);
	const keys = { dnKey: createKey(of.dn), nameKey: name === of.dn ? null : createKey(name) };
	const found = await listNamesakes(ctx.store.db, caller, { ...keys, limit: NAMESAKES_MAX + 1 });
	const counterparts = findCounterparts(found, of);
	const elsewhere: ObjectAnswer["elsewhere"] = [];
	for (const place of counterparts.slice(0, OBJECT_LIMITS.elsewhere)) {
		const values = await readValues(ctx, place, place.dn, signal);
		const differences = listFabricDifferences(of.className, of.values, values);
		elsewhere.push({
			connection: { id: place.connection_id, name: place.connection_name },
			dn: place.dn,
			equal: differences.length === 0,
			differing: differences.map(({ name }) => name),
			differences,
		});
	}
	return { elsewhere, hasMore: found.length > NAMESAKES_MAX || counterparts.length > OBJECT_LIMITS.elsewhere };
}
