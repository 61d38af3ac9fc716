/** Options of the commands that add a check: connections, times of runs, and recipients. */
import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import type { Check, FindingSeverity } from "@weft/contracts";
import { type checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import type { Call, WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { appendValue, type ExtendedCommand } from "../../frame.ts";
import type { View } from "../../output.ts";
import { findConnectionIds } from "../runs/connection-options.ts";
import { buildCadence, EVERY } from "../schedules/cadence.ts";
import { findUserIds, findWebhookIds } from "./recipients.ts";

export const WATCHED_CHECK: View<Check> = {
	name: "check",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "query", value: ({ query_name }) => query_name },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "watched", value: ({ is_watched }) => is_watched },
		{ title: "next_run_at", value: ({ schedules }) => schedules[0]?.next_run_at },
		{ title: "id", value: ({ id }) => id },
	],
};

export interface WatchOptions {
	readonly connection: readonly string[];
	readonly group: readonly string[];
	readonly every?: string | undefined;
	readonly notifyUser: readonly string[];
	readonly notifyWebhook: readonly string[];
	readonly notifyAddress: readonly string[];
	readonly minSeverity?: FindingSeverity | undefined;
}

/** Adds the options to a command. */
export function addWatchOptions<Arguments extends unknown[], Options extends OptionValues>(
	command: Command<Arguments, Options>,
): ExtendedCommand<Arguments, Options, WatchOptions> {
	command
		.option("--connection <name>", "connection that is checked; may be given several times", appendValue, [])
		.option("--group <name>", "group whose present connections are checked; likewise", appendValue, [])
		.addOption(new Option("--every <time>", "run the query on a schedule").choices(EVERY))
		.option("--notify-user <name>", "person who gets alerts besides you; may be given several times", appendValue, [])
		.option("--notify-webhook <name>", "webhook that gets alerts, too; likewise", appendValue, [])
		.option("--notify-address <address>", "address that gets alerts, too; likewise", appendValue, [])
		.addOption(new Option("--min-severity <severity>", "send alerts from the severity on").choices(FINDING_SEVERITIES));
	return command as ExtendedCommand<Arguments, Options, WatchOptions>;
}

type WatchBody = NonNullable<Call<typeof checkRoutes.install>["body"]>;

/** Looks up the names of the options. @throws CliError for an unknown name */
export async function readWatchBody(context: Context, client: WeftClient, options: WatchOptions): Promise<WatchBody> {
	const { notifyUser, notifyWebhook, notifyAddress, minSeverity } = options;
	const userIds = await findUserIds(client, notifyUser);
	const notify = {
		// Without people the owner gets the alerts.
		...(userIds.length === 0 ? {} : { user_ids: userIds }),
		webhook_ids: await findWebhookIds(client, notifyWebhook),
		addresses: [...notifyAddress],
		...(minSeverity === undefined ? {} : { min_severity: minSeverity }),
	};
	return {
		controller_connection_ids: await findConnectionIds(context, client, options),
		schedule: options.every === undefined ? null : buildCadence(options.every),
		notify,
	};
}
