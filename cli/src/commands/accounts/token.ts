/** `weft token`: API tokens of the user, and of service accounts for administrators. */
import type { ApiToken, CreatedApiToken } from "@weft/contracts";
import { apiTokenRoutes, userRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { type Collection, resolveNameOrId, suggestNames } from "../../resolve.ts";
import { requireCount, requireTime } from "../../times.ts";
import { findUserId } from "./users.ts";

const TOKENS: View<ApiToken> = {
	name: "tokens",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "prefix", value: ({ prefix }) => prefix },
		{ title: "owner", value: ({ owner }) => owner.username },
		{ title: "read_only", value: ({ read_only }) => read_only },
		{ title: "addresses", value: ({ allowed_addresses }) => allowed_addresses },
		{ title: "expires_at", value: ({ expires_at }) => expires_at ?? "never" },
		{ title: "last_used_at", value: ({ last_used_at }) => last_used_at },
		{ title: "id", value: ({ id }) => id },
	],
};

const CREATED: View<CreatedApiToken> = {
	name: "token",
	columns: [...TOKENS.columns, { title: "token", value: ({ token }) => token }],
};

const DAYS_MAX = 36_500;

interface CreateOptions {
	readonly expiresInDays?: string | undefined;
	readonly expiresAt?: string | undefined;
	readonly withoutExpiry?: true | undefined;
	readonly permission: readonly string[];
	readonly readOnly?: true | undefined;
	readonly address: readonly string[];
	readonly user?: string | undefined;
}

export const registerToken: Register = (program, run) => {
	const noun = getNoun(program, "token", "API tokens for pipelines and programs. Needs a profile of weft login.");
	addExamples(noun, "weft token list");
	const create = noun
		.command("create")
		.description("Create a token. Its secret is printed once.")
		.argument("<name>", "name of the token")
		.option(
			"--expires-in-days <days>",
			"days until the token expires (default: 90, or the service's limit if it is lower)",
		)
		.option("--expires-at <time>", 'time at which the token expires, such as "in 3 months"')
		.option("--without-expiry", "the token never expires")
		.option(
			"--permission <codename>",
			"permission of the token; several times, all of yours without it",
			appendValue,
			[],
		)
		.option("--read-only", "the token can change and start nothing")
		.option(
			"--address <network>",
			"network from which the token is accepted; may be given several times",
			appendValue,
			[],
		)
		.option("--user <name>", "service account that the token is for; administrators only")
		.action(run(createToken));
	addExamples(
		create,
		"weft token create nightly-drift --expires-in-days 90 --read-only",
		"export WEFT_TOKEN=$(weft token create ci --expires-in-days 30 --format json | jq -r .token)",
		"weft token create ansible --user svc-ansible --address 10.1.0.0/16",
	);
	const list = noun
		.command("list")
		.description("List your tokens, newest first.")
		.option("--user <name>", "tokens of a user; administrators only")
		.option("--all", "tokens of all users; administrators only")
		.action(run(showTokens));
	addExamples(list, "weft token list", "weft token list --all --format csv");
	const revoke = noun
		.command("revoke")
		.description("Revoke a token at once.")
		.argument("<token>", "name or id; an id for tokens of other users")
		.action(run(revokeToken));
	addExamples(revoke, "weft token revoke nightly-drift");
};

async function createToken(context: Context, name: string, options: CreateOptions): Promise<void> {
	const client = await context.client();
	const { expiresInDays, expiresAt, address, permission, user } = options;
	if (options.withoutExpiry && (expiresInDays !== undefined || expiresAt !== undefined))
		throw buildInputError("Give --without-expiry or the time of the expiry, not both.");
	const account = user === undefined ? undefined : { id: String(await findUserId(client, user)) };
	const body = {
		name,
		read_only: options.readOnly === true,
		...(expiresInDays === undefined
			? {}
			: { expires_in_days: requireCount("--expires-in-days", expiresInDays, DAYS_MAX) }),
		...(expiresAt === undefined
			? {}
			: { expires_at: await requireTime("--expires-at", expiresAt, context.clock.now()) }),
		...(options.withoutExpiry ? { expires_at: null } : {}),
		...(permission.length === 0 ? {} : { permission_ids: await findPermissionIds(client, account, permission) }),
		...(address.length === 0 ? {} : { allowed_addresses: [...address] }),
	};
	const created =
		account === undefined
			? await client.call(apiTokenRoutes.create, { body })
			: await client.call(apiTokenRoutes.managedCreate, { params: account, body });
	await context.output.one(created, CREATED);
	context.note("Store the token now: it is not shown again.");
}

/** @throws CliError for a codename that the token's owner does not have */
async function findPermissionIds(
	client: WeftClient,
	account: { readonly id: string } | undefined,
	codenames: readonly string[],
): Promise<number[]> {
	const held = await (account === undefined
		? client.call(apiTokenRoutes.options).then(({ permissions }) => permissions)
		: client.call(userRoutes.effectivePermissions, { params: account }));
	const known = new Map(held.map(({ codename, id }) => [codename, id]));
	const whose = account === undefined ? "You do" : "The account does";
	return codenames.map((codename) => {
		const id = known.get(codename);
		if (id !== undefined) return id;
		throw buildInputError(
			`${whose} not have the permission "${codename}".${suggestNames([...known.keys()], codename)}`,
		);
	});
}

async function showTokens(context: Context, { user, all }: { user?: string; all?: true }): Promise<void> {
	const client = await context.client();
	if (user !== undefined && all) throw buildInputError("Give --user or --all, not both.");
	const owner = user === undefined ? (all ? "all" : undefined) : String(await findUserId(client, user));
	const query = owner === undefined ? {} : { owner };
	await context.output.list(client.each(apiTokenRoutes.list, { query }), TOKENS);
}

const listTokens = (client: WeftClient): Collection<ApiToken> => ({
	kind: "token",
	list: () => client.each(apiTokenRoutes.list),
	byId: (id) => client.call(apiTokenRoutes.detail, { params: { id } }),
});

async function revokeToken(context: Context, text: string): Promise<void> {
	const client = await context.client();
	const { id, name } = await resolveNameOrId(listTokens(client), text);
	await client.call(apiTokenRoutes.remove, { params: { id } });
	context.note(`The token "${name}" is revoked.`);
}
