/** Rows of new change windows. */
import type { Insertable } from "kysely";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { insertEvents, insertWindowRow } from "./sql/windows.ts";
import type { ChangeWindowsTable } from "./tables.ts";

/** What a window does not have at its beginning. */
const EMPTY = {
	next_at: null,
	approved_by_id: null,
	approved_by: null,
	approved_at: null,
	round_at: null,
	phase_at: null,
	gate: null,
	override: null,
	opened_at: null,
	finished_at: null,
	verdict: null,
	changed: null,
	signed_by: null,
	signed_at: null,
	report: null,
	report_sha256: null,
};

type NewWindow = Omit<Insertable<ChangeWindowsTable>, keyof typeof EMPTY | "created_at" | "updated_at"> &
	Partial<Record<"approved_by_id", number | null>> &
	Partial<Record<"approved_by", string | null>> &
	Partial<Record<"approved_at", Date | null>>;

/** Inserts a window with the event of its creation, whose user is the caller. */
export async function insertNewWindow(ctx: Context, tx: Tx, window: NewWindow, username: string): Promise<void> {
	const now = getNow(ctx);
	await insertWindowRow(tx, { ...EMPTY, ...window, created_at: now, updated_at: now });
	const created = { id: ctx.ids.uuid(), window_id: window.id, at: now, user_name: username, event: "create" as const };
	const { name } = JSON.parse(String(window.plan)) as { readonly name: string };
	await insertEvents(tx, [{ ...created, from_state: null, to_state: window.state, detail: name }]);
}
