/** Takes the snapshots that a picture lacks: saves a question if needed, and runs it to its end. */
import type { PictureClass, PictureKind } from "@weft/contracts";
import { backgroundRunRoutes, galleryRoutes, PICTURE_QUESTIONS, pipelineRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../../platform/call.ts";
import { UserError } from "../../../platform/failures.ts";
import { findProblem } from "../../../platform/problem.ts";

const NAMES: Readonly<Record<PictureKind, readonly string[]>> = {
	topology: ["Topology of the fabric", "Topology of the fabric, for pictures"],
	tenant: ["Policy of the tenants", "Policy of the tenants, for pictures"],
};
const POLL_MS = 500;

/** Lists the classes that have no snapshot, or one that leaves objects out. */
export const listLacking = (classes: readonly PictureClass[]): PictureClass[] =>
	classes.filter(({ status }) => status !== "complete");

/** Lists the ids of queries that read all of these classes. Returns null if a class has none. */
export function listCapturingQueries(lacking: readonly PictureClass[]): string[] | null {
	const ids = lacking.map(({ saved_query }) => saved_query?.id);
	return ids.includes(undefined) ? null : [...new Set(ids as string[])];
}

export function useCapture(picture: PictureKind, connection: string) {
	return useAction(
		async (lacking: readonly PictureClass[]) => {
			const queries = listCapturingQueries(lacking) ?? [await saveQuestion(picture)];
			for (const id of queries) {
				const body = { controller_connection_id: connection };
				const job = await callRoute(backgroundRunRoutes.start, { params: { id }, body });
				await awaitRun(job.id);
			}
			return queries;
		},
		{ stale: ["pictures", "saved_queries", "pipelines"] },
	);
}

/** Saves the question as a query of the user with snapshots on. Returns its id. */
async function saveQuestion(picture: PictureKind): Promise<string> {
	const params = { key: PICTURE_QUESTIONS[picture] };
	let refusal: unknown;
	for (const name of NAMES[picture]) {
		try {
			return (await callRoute(galleryRoutes.save, { params, body: { name, enable_time_machine: true } })).id;
		} catch (error) {
			// A query of another content has the name.
			if (findProblem(error).fields.name === undefined) throw error;
			refusal = error;
		}
	}
	throw refusal;
}

/** Waits for the end of a run. @throws UserError with the reason if it does not succeed */
async function awaitRun(id: string): Promise<void> {
	for (;;) {
		const run = await callRoute(pipelineRoutes.detail, { params: { id } });
		if (run.status === "completed") return;
		if (run.status === "failed" || run.status === "cancelled")
			throw new UserError(run.errors[0]?.message ?? "The run ended without a result.");
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}
