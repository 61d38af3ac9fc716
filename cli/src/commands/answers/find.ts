/** `weft find`: objects by address, MAC address, VLAN, DN or name. */
import type { FindAnswer, FoundObject, LiveFindAnswer } from "@weft/contracts";
import { FIND_LIMITS, findRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { listConnections } from "../fabrics/connection.ts";
import { getGroups } from "../runs/group-runs.ts";

interface FindOptions {
	readonly connection: readonly string[];
	readonly group?: string | undefined;
	readonly live?: true | undefined;
	readonly limit: string;
}

/** Milliseconds between two questions for the answers of controllers. */
const PAUSE_MS = 500;

const OBJECTS: View<FoundObject> = {
	name: "find",
	columns: [
		{ title: "connection", value: ({ connection }) => connection.name },
		{ title: "class", value: ({ class_name }) => class_name },
		{ title: "label", value: ({ label }) => label },
		{ title: "dn", value: ({ dn }) => dn },
		{ title: "matched", value: ({ matched }) => `${matched.attribute}: ${matched.value}` },
		{ title: "seen_at", value: ({ seen_at }) => seen_at },
		{ title: "current", value: ({ is_current }) => is_current },
	],
};

export const registerFind: Register = (program, run) => {
	const find = program
		.command("find")
		.description("Find objects by IP address or prefix, MAC address, VLAN, DN or a part of a name.")
		.argument("<text>", "such as 10.1.1.77, 10.1.0.0/16, 0050.56ab.cdef, vlan-150 or web")
		.option("--connection <name>", "on this connection; with --live may be given several times", appendValue, [])
		.option("--live", "ask the controllers now, instead of the snapshots")
		.option("--group <name>", "with --live: on the connections of a group")
		.option("--limit <n>", `objects to show, at most ${FIND_LIMITS.objects}`, String(FIND_LIMITS.usual))
		.action(run(findObjects));
	addExamples(
		find,
		"weft find 10.1.1.77",
		"weft find vlan-150 --connection fab-1",
		"weft find web --live --group production",
	);
};

async function findObjects(context: Context, text: string, options: FindOptions): Promise<void> {
	const answer = options.live
		? await findLive(context, text, options)
		: await findStored(await context.client(), text, options);
	if (answer.total > answer.objects.length)
		context.note(`${answer.objects.length} of ${answer.is_total_exact ? "" : "more than "}${answer.total} are shown.`);
	await context.output.list(answer.objects, OBJECTS);
	const failed = listFailed(answer);
	if (failed.length > 0)
		throw new CliError(
			EXIT.runFailed,
			failed.map(({ connection, error }) => `Connection "${connection.name}": ${error}`).join("\n"),
		);
}

async function findStored(client: WeftClient, q: string, options: FindOptions): Promise<FindAnswer> {
	const [name, ...others] = options.connection;
	if (options.group !== undefined || others.length > 0)
		throw buildInputError("--group and several --connection need --live.");
	const connection = name === undefined ? null : await resolveNameOrId(listConnections(client), name);
	const query = { q, limit: options.limit, ...(connection && { connection: connection.id }) };
	return client.call(findRoutes.search, { query });
}

async function findLive(context: Context, q: string, options: FindOptions): Promise<LiveFindAnswer> {
	const { group, connection: names, limit } = options;
	if ((group === undefined) === (names.length === 0))
		throw buildInputError("Give --connection or --group with --live, not both.");
	const client = await context.client();
	const connections = await Promise.all(names.map((name) => resolveNameOrId(listConnections(client), name)));
	const place =
		group === undefined
			? { controller_connection_ids: connections.map(({ id }) => id) }
			: { connection_group_id: (await resolveNameOrId(getGroups(client), group)).id };
	const { id } = await client.call(findRoutes.startLive, { body: { q, ...place } });
	for (;;) {
		const answer = await client.call(findRoutes.live, { params: { id }, query: { limit } });
		if (answer.status === "done") return answer;
		const open = answer.connections.filter(({ status }) => status === "running").length;
		context.progress(`${open} of ${answer.connections.length} controllers have not answered yet.`);
		await context.clock.sleep(PAUSE_MS);
	}
}

/** Connections of a live search that gave no answer. */
function listFailed(answer: FindAnswer | LiveFindAnswer): LiveFindAnswer["connections"] {
	return "connections" in answer ? answer.connections.filter(({ error }) => error !== null) : [];
}
