/** Plans the changes of files of connections and finds their errors. Reads only. */
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { listOwnConnections } from "../fabrics/sql/stored.ts";
import { type ConnectionChange, checkConnectionFile } from "../fabrics/write-connection-file.ts";
import { addRefusal, type FileErrors } from "./errors.ts";
import type { GivenFile } from "./plan-queries.ts";
import type { ParsedConnection } from "./rules/read-file.ts";

export interface PlannedConnection {
	readonly path: string;
	readonly name: string;
	readonly action: "created" | "updated" | "unchanged";
	readonly change: ConnectionChange;
}

/** Compares the caller's connections with the files of the same name. */
export async function planConnections(
	ctx: Context,
	tx: Tx,
	caller: Identity,
	files: readonly GivenFile<ParsedConnection>[],
	errors: FileErrors,
): Promise<PlannedConnection[]> {
	if (files.length === 0) return [];
	const own = new Map((await listOwnConnections(tx.db, caller.userId)).map((row) => [row.name, row]));
	return files.flatMap(({ path, file }) => {
		const { name } = file.document;
		const before = own.get(name) ?? null;
		try {
			const change = checkConnectionFile(ctx, file.document, before);
			const action = before === null ? "created" : change.fields.length > 0 ? "updated" : "unchanged";
			return [{ path, name, action, change } as const];
		} catch (error) {
			addRefusal(errors, path, file.lines, error);
			return [];
		}
	});
}
