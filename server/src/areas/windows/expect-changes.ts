/** Expectations of a change window: reads, replaces and imports them. */
import {
	type Expectation,
	type ExpectationImport,
	type ExpectationImportAnswer,
	type ExpectationInput,
	type ExpectationsInput,
	WINDOW_LIMITS,
} from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError, buildInvalidError, type FieldErrors } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import { isSameJson } from "../checks/rules/same-json.ts";
import { presentExpectation } from "./judge-round.ts";
import { moveWindow } from "./move-window.ts";
import { assertExpectedItems } from "./plans/manage-plans.ts";
import { readImport } from "./read-import.ts";
import { buildStateError, findVisibleWindow, lockForMove } from "./read-window.ts";
import { findPatternProblems } from "./rules/expectations.ts";
import { isBeforeStart } from "./rules/transitions.ts";
import { deleteExpectations, type ExpectationRow, insertExpectations, listExpectations } from "./sql/findings.ts";
import { listAllConnections, type ShownWindow } from "./sql/windows.ts";

export async function readExpectations(
	ctx: Context,
	caller: Caller,
	id: string,
): Promise<{ expectations: Expectation[] }> {
	const { visible_ids: visible } = await findVisibleWindow(ctx.store.db, caller, id);
	const all = (await listExpectations(ctx.store.db, id)).map(presentExpectation);
	return {
		expectations: all.filter(({ connection_ids: ids }) => ids?.some((of) => visible.includes(of)) ?? true),
	};
}

/** @throws 400 under `expectations.N` for items, connections and patterns that are not valid */
async function assertExpectations(
	tx: Tx,
	window: ShownWindow,
	all: readonly Pick<ExpectationInput, "item" | "connection_ids" | "dn">[],
): Promise<void> {
	assertExpectedItems(all, window.plan.items);
	const known = new Set((await listAllConnections(tx.db, window.id)).map((one) => one.connection_id));
	const errors: FieldErrors = {};
	for (const [index, { connection_ids: ids }] of all.entries()) {
		const foreign = ids?.find((id) => !known.has(id));
		if (foreign !== undefined)
			errors[`expectations.${index}.connection_ids`] = [`The change window has no connection ${foreign}.`];
	}
	for (const [index, problem] of findPatternProblems(all.map(({ dn }) => dn)))
		errors[`expectations.${index}.dn`] = [problem];
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
}

/** Removes the fields that the service adds. */
const readInput = ({ id: _, late: __, ...input }: ExpectationsInput["expectations"][number]): ExpectationInput => input;

/** Writes the wanted expectations. After the start they can only be added, and are late. */
async function writeExpectations(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	window: ShownWindow,
	{ known, wanted }: { readonly known: readonly ExpectationRow[]; readonly wanted: readonly ExpectationInput[] },
): Promise<void> {
	const isEarly = isBeforeStart(window.state);
	const kept = known.filter(({ data }, at) => wanted[at] !== undefined && isSameJson(data, wanted[at]));
	const isAppended = kept.length === known.length;
	if (!isEarly && !isAppended)
		throw buildStateError(
			window.state,
			"The change window has started: expectations may be added behind those that stand, and are marked late.",
		);
	const added = isAppended ? wanted.slice(known.length) : wanted;
	if (isAppended && added.length === 0) {
		markUnchanged(caller);
		return;
	}
	if (!isAppended) await deleteExpectations(tx, window.id);
	const from = isAppended ? known.length : 0;
	await insertExpectations(
		tx,
		window.id,
		added.map((data, at) => ({ id: ctx.ids.uuid(), position: from + at, isLate: !isEarly, data })),
	);
	const isVoid = isEarly && (window.state === "waiting" || window.approved_at !== null);
	await moveWindow(ctx, tx, window, caller, {
		event: "expect",
		to: isVoid ? "draft" : window.state,
		values: isVoid ? { approved_by_id: null, approved_by: null, approved_at: null } : {},
		detail: `${wanted.length} ${wanted.length === 1 ? "expectation" : "expectations"}${isEarly ? "" : `, ${added.length} of them late`}`,
		verb: "changed the expectations of",
	});
}

export async function replaceExpectations(
	ctx: Context,
	caller: Caller,
	id: string,
	{ expectations }: ExpectationsInput,
): Promise<{ expectations: Expectation[] }> {
	return ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "expect" });
		await assertExpectations(tx, window, expectations);
		const known = await listExpectations(tx.db, id);
		await writeExpectations(ctx, tx, caller, window, { known, wanted: expectations.map(readInput) });
		return { expectations: (await listExpectations(tx.db, id)).map(presentExpectation) };
	});
}

/** Adds expectations from a file, a request or an earlier window, and lists unreadable entries. */
export async function importExpectations(
	ctx: Context,
	caller: Caller,
	id: string,
	input: ExpectationImport,
): Promise<ExpectationImportAnswer> {
	const seen = await findVisibleWindow(ctx.store.db, caller, id);
	const read = await readImport(ctx, caller, seen, input);
	return ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "expect" });
		const known = await listExpectations(tx.db, id);
		if (known.length + read.expectations.length > WINDOW_LIMITS.expectations)
			throw buildFieldError(
				"content",
				`There would be ${known.length + read.expectations.length} expectations. ` +
					`The limit is ${WINDOW_LIMITS.expectations}: remove some, or import fewer.`,
			);
		await assertExpectations(tx, window, read.expectations);
		const wanted = [...known.map(({ data }) => data), ...read.expectations];
		await writeExpectations(ctx, tx, caller, window, { known, wanted });
		return { added: read.expectations.length, not_understood: [...read.notUnderstood] };
	});
}
