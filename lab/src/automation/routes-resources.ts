/** Routes of users, the configuration, credentials, inventories and tokens. */
import type { Reply } from "./launch-input.ts";
import { createDetailError, FORBIDDEN, getList, NOT_FOUND } from "./lists.ts";
import { type Json, ROOT } from "./present.ts";
import {
	presentCredential,
	presentCredentialType,
	presentInventory,
	presentToken,
	presentUser,
} from "./present-resources.ts";
import type { Profile } from "./profiles.ts";
import {
	buildListOptions,
	buildOkReply,
	type Call,
	type Handler,
	type RouteParts,
	type Routes,
} from "./route-access.ts";
import type { Token, User } from "./types.ts";
import type { World } from "./world.ts";

const createListHandler =
	<T>(all: () => Iterable<T>, present: (one: T) => Json, model: string, order = "name"): Handler =>
	(call) => {
		const shown = call.user.superuser ? [...all()] : [];
		return buildOkReply(getList(shown, present, present, buildListOptions(call, model, { order })));
	};

const createDetailHandler =
	<T>(find: (id: number) => T | undefined, present: (one: T) => Json): Handler =>
	(call, id) => {
		const found = find(id as number);
		if (found === undefined) throw createDetailError(404, NOT_FOUND);
		if (!call.user.superuser) throw createDetailError(403, FORBIDDEN);
		return buildOkReply(present(found));
	};

function createToken(lab: RouteParts, call: Call): Reply {
	const body = call.body();
	const made: Token = {
		id: lab.world.ids.token++,
		user: call.user,
		created: lab.world.time.now(),
		revoked: false,
		text: `lab${lab.world.ids.token}token`.padEnd(30, "x"),
		scope: body.scope === "read" ? "read" : "write",
		description: String(body.description ?? ""),
	};
	lab.world.tokens.push(made);
	return { status: 201, body: presentToken(made, true), headers: { Location: `${ROOT}tokens/${made.id}/` } };
}

export function createResourceRoutes(lab: RouteParts): Routes {
	return {
		"me/": {
			GET: (call) => {
				const present = (user: User) => presentUser(user, lab.world.born);
				return buildOkReply(getList([call.user], present, present, buildListOptions(call, "User")));
			},
		},
		"config/": { GET: () => buildOkReply(getConfig(lab.world)) },
		"credentials/": {
			GET: (call) => {
				// A filter that goes through the type.
				const kind = call.query.get("credential_type__kind");
				const all = [...lab.world.credentials.values()].filter(
					(one) => kind === null || lab.world.credentialTypes.get(one.type)?.kind === kind,
				);
				const present = (one: (typeof all)[number]) => presentCredential(lab.world, one);
				const how = { order: "name", extra: ["credential_type__kind"] };
				return buildOkReply(
					getList(call.user.superuser ? all : [], present, present, buildListOptions(call, "Credential", how)),
				);
			},
		},
		"credentials/:id/": {
			GET: createDetailHandler(
				(id) => lab.world.credentials.get(id),
				(found) => presentCredential(lab.world, found),
			),
		},
		"credential_types/": {
			GET: createListHandler(() => lab.world.credentialTypes.values(), presentCredentialType, "CredentialType"),
		},
		"inventories/": {
			GET: createListHandler(
				() => lab.world.inventories.values(),
				(found) => presentInventory(lab.world, found),
				"Inventory",
			),
		},
		"tokens/": {
			GET: createListHandler(
				() => lab.world.tokens.filter(({ revoked }) => !revoked),
				(found) => presentToken(found, false),
				"OAuth2AccessToken",
				"id",
			),
			POST: (call) => createToken(lab, call),
		},
		"tokens/:id/": {
			DELETE: (_call, id) => {
				const found = lab.world.tokens.find((one_) => one_.id === id);
				if (found === undefined) throw createDetailError(404, NOT_FOUND);
				found.revoked = true;
				return { status: 204, body: "" };
			},
		},
		"users/:id/personal_tokens/": { POST: (call) => createToken(lab, call) },
	};
}

const getLicence = ({ licence }: Profile): Json => ({
	license_type: licence.type,
	valid_key: true,
	subscription_name: licence.type === "open" ? "OPEN" : licence.product,
	product_name: licence.product,
});

const getConfig = (world: World): Json => ({
	time_zone: "UTC",
	license_info: getLicence(world.profile),
	version: world.version,
	eula: "",
	analytics_status: "off",
	analytics_collectors: {},
	become_methods: [["sudo", "Sudo"]],
	ui_next: false,
});
