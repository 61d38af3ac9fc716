/** `weft status`. */
import { authRoutes, systemRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { addExamples, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";

interface Status {
	readonly url: string;
	readonly version: string;
	readonly username: string;
	readonly is_admin: boolean;
	readonly groups: readonly string[];
}

const STATUS: View<Status> = {
	name: "status",
	columns: [
		{ title: "url", value: ({ url }) => url },
		{ title: "version", value: ({ version }) => version },
		{ title: "username", value: ({ username }) => username },
		{ title: "is_admin", value: ({ is_admin }) => is_admin },
		{ title: "groups", value: ({ groups }) => groups },
	],
};

export const registerStatus: Register = (program, run) => {
	const status = program
		.command("status")
		.description("Show the address and the version of Weft, and who is signed in.")
		.action(run(printStatus));
	addExamples(status, "weft status", "weft status --format json");
};

async function printStatus({ client: open, output }: Context): Promise<void> {
	const client = await open();
	const { version } = await client.call(systemRoutes.health);
	const { username, is_admin, group_names } = await client.call(authRoutes.profile);
	await output.one({ url: client.baseUrl, version, username, is_admin, groups: group_names }, STATUS);
}
