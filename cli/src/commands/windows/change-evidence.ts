/** `weft change evidence`: results of Cisco's pre-upgrade validation script. */
import type { WindowEvidence } from "@weft/contracts";
import {
	changeWindowRoutes,
	formatEvidenceCounts,
	formatEvidenceResult,
	needsAttention,
} from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { readEvidenceFiles } from "./evidence-files.ts";
import { findWindow, NOUN } from "./windows.ts";

const EVIDENCE: View<WindowEvidence> = {
	name: "results of the pre-upgrade script",
	columns: [
		{ title: "connection", value: ({ connection }) => connection },
		{ title: "results", value: ({ counts }) => formatEvidenceCounts(counts) },
		{ title: "complete", value: ({ complete }) => complete },
		{ title: "late", value: ({ late }) => late },
		{ title: "script", value: ({ script_version }) => script_version },
		{ title: "started_at", value: ({ started_at }) => started_at },
		{ title: "attached_by", value: ({ attached_by }) => attached_by },
		{ title: "attached_at", value: ({ attached_at }) => attached_at },
		{ title: "id", value: ({ id }) => id },
	],
};

export const registerChangeEvidence: Register = (program, run) => {
	const evidence = getNoun(program, "change", NOUN)
		.command("evidence")
		.description(
			"List the results of Cisco's pre-upgrade script of a window, after those of files or a folder are attached, " +
				"or some are removed. The verdict does not depend on them.",
		)
		.argument("<window>", "ticket or id")
		.argument("[paths...]", "JSON files of one run, its folder, or - for standard input")
		.option("--connection <name>", "connection that the script ran on; may be absent if the window has one")
		.option("--remove <id>", "remove the results with this id")
		.action(run(updateEvidence));
	addExamples(
		evidence,
		"weft change evidence CHG0031337",
		"weft change evidence CHG0031337 preupgrade_validator_logs --connection fab-1",
		"weft change evidence CHG0031337 --remove 01890000-0000-7000-8000-000000000000",
	);
};

async function updateEvidence(
	context: Context,
	name: string,
	paths: readonly string[],
	{ connection, remove }: { readonly connection?: string | undefined; readonly remove?: string | undefined },
): Promise<void> {
	const client = await context.client();
	const files = await readEvidenceFiles(context, paths);
	const params = { id: (await findWindow(client, name)).id };
	if (remove !== undefined) {
		await client.call(changeWindowRoutes.removeEvidence, { params: { ...params, evidence_id: remove } });
		context.note("The results are removed.");
	}
	if (files.length > 0) {
		const id = await findConnectionId(client, connection);
		const body = { files, ...(id !== undefined && { connection_id: id }) };
		noteAttached(context, await client.call(changeWindowRoutes.attachEvidence, { params, body }));
	}
	const { results } = await client.call(changeWindowRoutes.evidence, { params });
	await context.output.list(results, EVIDENCE);
}

/** Notes the number of attached files, the notes about them, and each check that has not passed. */
function noteAttached(context: Context, { files, connection, notes, checks, late }: WindowEvidence): void {
	const count = files === 1 ? "1 file" : `${files} files`;
	context.note(`${count} attached to ${connection}${late ? ", late: the window has opened" : ""}.`);
	for (const note of notes) context.note(note);
	for (const { name, result } of checks)
		if (needsAttention(result)) context.note(`${formatEvidenceResult(result)}: ${name}`);
}
