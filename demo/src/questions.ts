/** Four questions of an engineer: the way to each answer in the web UI, and the answer. */
import { changeRoutes, findRoutes, galleryRoutes, groupExecutionRoutes, objectRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import type { Known } from "./queries.ts";
import { waitForAnswer } from "./wait.ts";
import { DOMAIN, ENDPOINT } from "./work.ts";

const WITHOUT_CONTRACT = "epgs-without-contract";
/** Lines of one answer at most. */
const SHOWN = 6;

/** Lines of each question, with its answer indented below it. */
export async function answerQuestions(client: WeftClient, known: Known): Promise<string[]> {
	return [
		"What changed since yesterday?  Overview",
		...(await listChanges(client)),
		`Who changed ${DOMAIN}?  Ctrl+K, ${DOMAIN}, Enter`,
		...(await listAuthors(client)),
		`Where is ${ENDPOINT.ip}?  Ctrl+K, ${ENDPOINT.ip}, Enter`,
		...(await locateEndpoint(client)),
		"Which EPGs have no contract?  Gallery, Run",
		...(await listLonelyEpgs(client, known.group)),
	];
}

async function listChanges(client: WeftClient): Promise<string[]> {
	const { connections, users } = await client.call(changeRoutes.summary, { query: {} });
	const authors = users.map(({ name, changes }) => `${name} (${changes})`).join(", ");
	return [
		...connections.map(
			({ name, added, deleted, modified }) => `  ${name}: ${added} added, ${deleted} deleted, ${modified} modified`,
		),
		...(authors === "" ? [] : [`  by ${authors}`]),
	];
}

/** The best object for a text. Waits for the index, which follows the snapshots. */
const findObject = (client: WeftClient, q: string) =>
	waitForAnswer(`${q} is found`, async () => {
		const { objects } = await client.call(findRoutes.search, { query: { q, limit: "1" } });
		return objects[0] ?? null;
	});

async function listAuthors(client: WeftClient): Promise<string[]> {
	const { connection, dn } = await findObject(client, DOMAIN);
	const { changes } = await client.call(objectRoutes.detail, { query: { connection: connection.id, dn } });
	const lines = changes.flatMap(({ at, attributes, changed_by }) => {
		const [newest] = changed_by;
		if (newest === undefined) return [];
		const values = attributes.map(({ name, before, after }) => `${name} ${before} → ${after}`).join(", ");
		return [
			`  ${newest.user} in ${connection.name}, seen ${at.slice(0, 16).replace("T", " ")}: ${values || "added it"}`,
		];
	});
	return lines.slice(0, 2);
}

async function locateEndpoint(client: WeftClient): Promise<string[]> {
	const { connection, dn } = await findObject(client, ENDPOINT.ip);
	const { attributes } = await client.call(objectRoutes.detail, { query: { connection: connection.id, dn } });
	const port = attributes.find(({ name }) => name === "fabricPathDn")?.value ?? "an unknown port";
	return [`  ${connection.name}: ${dn}`, `  on ${port}`];
}

async function listLonelyEpgs(client: WeftClient, connection_group_id: string): Promise<string[]> {
	const params = { key: WITHOUT_CONTRACT };
	const { id } = await client.call(galleryRoutes.run, { params, body: { connection_group_id, variable_values: {} } });
	await waitForAnswer("the question is answered", async () => {
		const { status } = await client.call(groupExecutionRoutes.detail, { params: { id } });
		return status === "running" ? null : status;
	});
	const query = { page_size: String(SHOWN) };
	const { count, results } = await client.call(groupExecutionRoutes.results, { params: { id }, query });
	return [
		...results.map((row) => ("dn" in row ? `  ${row.connection}: ${row.dn}` : "")),
		...(count > results.length ? [`  … and ${count - results.length} more`] : []),
	];
}
