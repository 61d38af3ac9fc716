/** `weft changes`. */
import type { FeedEntry } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { addExamples, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { requireCount, requireTime } from "../../times.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { getQueries } from "../queries/query-source.ts";
import { type ChangeFilter, iterateChangePages } from "./change-pages.ts";

const CHANGES: View<FeedEntry> = {
	name: "changes",
	columns: [
		{ title: "at", value: ({ at }) => at },
		{ title: "connection", value: ({ connection }) => connection.name },
		{ title: "change", value: ({ change }) => change },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "class", value: ({ class_name }) => class_name },
		{ title: "dn", value: ({ dn }) => dn },
		{ title: "attributes", value: formatAttributes },
		{ title: "changed_by", value: ({ changed_by }) => [...new Set(changed_by.map(({ user }) => user))].join(", ") },
	],
};

interface ChangesOptions {
	readonly since?: string;
	readonly until?: string;
	readonly connection?: string;
	readonly query?: string;
	readonly user?: string;
	readonly tenant?: string;
	readonly class?: string;
	readonly change?: string;
	readonly severity?: string;
	readonly search?: string;
	readonly limit: string;
}

const SHOWN_MAX = 100_000;

export const registerChanges: Register = (program, run) => {
	const changes = program
		.command("changes")
		.description("Show what changed on the fabrics and who changed it, newest first. Without --since: in 24 hours.")
		.option("--since <time>", 'changes since the time, such as "2 days ago"')
		.option("--until <time>", "changes before the time")
		.option("--connection <name>", "changes on the connection")
		.option("--query <name>", "changes that the query saw")
		.option("--user <name>", "changes by the person of the fabric")
		.option("--tenant <name>", "changes in the tenant")
		.option("--class <class>", "changes of the class, such as fvBD")
		.option("--change <kind>", "added, deleted or modified")
		.option("--severity <severity>", "info, warning or critical")
		.option("--search <text>", "changes with the text in DN, class, attributes, values or persons")
		.option("--limit <count>", "changes at most", "1000")
		.action(run(showChanges));
	addExamples(
		changes,
		"weft changes",
		'weft changes --since "yesterday 8:00" --connection fab-1 --user admin',
		"weft changes --tenant prod --class fvBD --format csv",
	);
};

async function showChanges(context: Context, options: ChangesOptions): Promise<void> {
	const limit = requireCount("--limit", options.limit, SHOWN_MAX);
	const now = context.clock.now();
	const times: ChangeFilter = {
		...(options.since === undefined ? {} : { since: await requireTime("--since", options.since, now) }),
		...(options.until === undefined ? {} : { until: await requireTime("--until", options.until, now) }),
	};
	const client = await context.client();
	const connection = await findConnectionId(client, options.connection);
	const { connection: _connection, query, limit: _limit, since: _since, until: _until, ...fields } = options;
	const filter = {
		...fields,
		...times,
		...(connection === undefined ? {} : { connection }),
		...(query === undefined ? {} : { saved_query: (await resolveNameOrId(getQueries(client), query)).id }),
	} as ChangeFilter;
	let left = limit;
	async function* iterateShown(): AsyncGenerator<FeedEntry, void, void> {
		for await (const { count, results } of iterateChangePages(client, filter)) {
			yield* results.slice(0, left);
			left -= Math.min(left, results.length);
			if (left > 0) continue;
			if (count > limit) context.note(`These are ${limit} of ${count} changes. Raise --limit to see more.`);
			return;
		}
	}
	await context.output.list(iterateShown(), CHANGES);
}

/** `mtu 1500 → 9000`; empty for an added or deleted object. */
function formatAttributes({ change, attributes, attributes_omitted: omitted }: FeedEntry): string {
	if (change !== "modified") return "";
	const shown = attributes.map(({ name, before, after }) => `${name} ${before ?? "-"} → ${after ?? "-"}`);
	const more = omitted === 0 ? [] : [`and ${omitted} more ${omitted === 1 ? "attribute" : "attributes"}`];
	return [...shown, ...more].join("; ");
}
