/**
 * Evidence of a change window: attaches, lists and removes results of Cisco's pre-upgrade
 * validation script. A verdict never depends on them.
 */
import { createHash } from "node:crypto";
import {
	EVIDENCE_LIMITS,
	type EvidenceContent,
	type EvidenceFile,
	type EvidenceInput,
	formatEvidenceCounts,
	type WindowEvidence,
} from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError, buildInvalidError, buildNotFoundError } from "../../core/errors.ts";
import { compareCodeUnits } from "../../core/text.ts";
import { moveWindow } from "./move-window.ts";
import { presentEvidence } from "./present-evidence.ts";
import { buildStateError, findVisibleWindow, lockForMove } from "./read-window.ts";
import { EvidenceError, readEvidence } from "./rules/read-evidence.ts";
import { deleteEvidence, findEvidence, insertEvidence, listEvidence, listEvidenceSizes } from "./sql/evidence.ts";
import { type ConnectionRow, listAllConnections, type ShownWindow } from "./sql/windows.ts";

const MB = 1024 * 1024;

/** All sets on one page: their number and bytes are bounded. */
export async function listWindowEvidence(ctx: Context, caller: Caller, id: string) {
	const window = await findVisibleWindow(ctx.store.db, caller, id);
	const results = (await listEvidence(ctx.store.db, id, window.visible_ids)).map(presentEvidence);
	return { count: results.length, next: null, previous: null, results };
}

const digestText = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Returns the same digest for the same files, whatever their names and their order. */
const digestFiles = (files: readonly EvidenceFile[]): string =>
	digestText(
		files
			.map(({ content }) => digestText(content))
			.sort(compareCodeUnits)
			.join(""),
	);

/** @throws 400 under `files`, or `files.N` for files that are not of the script */
function readContent(files: readonly EvidenceFile[]): EvidenceContent {
	const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
	if (bytes > EVIDENCE_LIMITS.setBytes)
		throw buildFieldError(
			"files",
			`Must have at most ${EVIDENCE_LIMITS.setBytes / MB} MB in all. Attach the JSON files of one run of the script only.`,
		);
	try {
		return readEvidence(files);
	} catch (error) {
		if (!(error instanceof EvidenceError)) throw error;
		throw buildInvalidError(
			Object.fromEntries([...error.problems].map(([index, problem]) => [`files.${index}`, [problem]])),
		);
	}
}

/** @throws 400 under `connection_id` if the window has no such connection, or several */
function chooseConnection(all: readonly ConnectionRow[], id: string | undefined): ConnectionRow {
	const [first, ...others] = all;
	if (id === undefined && first !== undefined && others.length === 0) return first;
	const found = all.find((one) => one.connection_id === id);
	if (found !== undefined) return found;
	throw buildFieldError(
		"connection_id",
		id === undefined
			? `The change window has ${all.length} connections: name the one that the script ran on.`
			: `The change window has no connection ${id}.`,
	);
}

/** Attaches the files of one run of the script. The same files of a connection are refused. */
export async function attachEvidence(
	ctx: Context,
	caller: Caller,
	id: string,
	{ connection_id: connectionId, files }: EvidenceInput,
): Promise<WindowEvidence> {
	await findVisibleWindow(ctx.store.db, caller, id);
	const content = readContent(files);
	const text = JSON.stringify(content);
	const sha256 = digestFiles(files);
	return ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "evidence" });
		const connection = chooseConnection(await listAllConnections(tx.db, id), connectionId);
		const row = {
			id: ctx.ids.uuid(),
			window_id: id,
			connection_id: connection.connection_id,
			attached_at: getNow(ctx),
			attached_by: caller.username,
			is_late: window.opened_at !== null,
			files: files.length,
			sha256,
			bytes: Buffer.byteLength(text),
		};
		assertRoom(window, await listEvidenceSizes(tx.db, id), row);
		await insertEvidence(tx, { ...row, content: text });
		await moveWindow(ctx, tx, window, caller, {
			event: "attach_evidence",
			detail: `${connection.connection_name}: ${formatEvidenceCounts(content.counts)}${row.is_late ? ", late" : ""}`,
			verb: "attached results of the pre-upgrade script to",
			metadata: { evidence: row.id, connection: row.connection_id, files: row.files, sha256, late: row.is_late },
		});
		return presentEvidence({ ...row, content, connection_name: connection.connection_name });
	});
}

interface EvidenceSize {
	readonly connection_id: string;
	readonly sha256: string;
	readonly bytes: number;
}

/** @throws 409 for files that are attached already, 400 under `files` for too many sets or bytes */
function assertRoom({ state }: ShownWindow, known: readonly EvidenceSize[], added: EvidenceSize): void {
	if (known.some(({ connection_id, sha256 }) => connection_id === added.connection_id && sha256 === added.sha256))
		throw buildStateError(state, "These files are attached to this connection of the change window already.");
	if (known.length >= EVIDENCE_LIMITS.sets)
		throw buildFieldError(
			"files",
			`The change window has results of ${known.length} runs, which is the limit. Remove those of an earlier run first.`,
		);
	if (known.reduce((sum, { bytes }) => sum + bytes, added.bytes) > EVIDENCE_LIMITS.windowBytes)
		throw buildFieldError(
			"files",
			`All results of a change window must have at most ${EVIDENCE_LIMITS.windowBytes / MB} MB. ` +
				"Remove those of an earlier run first.",
		);
}

export async function removeEvidence(
	ctx: Context,
	caller: Caller,
	{ id, evidence_id: evidenceId }: { readonly id: string; readonly evidence_id: string },
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "evidence" });
		const found = await findEvidence(tx.db, id, evidenceId, window.visible_ids);
		if (found === undefined) throw buildNotFoundError();
		await deleteEvidence(tx, evidenceId);
		await moveWindow(ctx, tx, window, caller, {
			event: "remove_evidence",
			detail: `${found.connection_name}: ${formatEvidenceCounts(found.content.counts)}`,
			verb: "removed results of the pre-upgrade script from",
			metadata: { evidence: evidenceId, connection: found.connection_id, sha256: found.sha256 },
		});
	});
}
