/** Recipients of alerts by their names. */
import type { Webhook } from "@weft/contracts";
import { authRoutes, webhookRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import { CliError, EXIT } from "../../errors.ts";
import { type Collection, resolveNameOrId } from "../../resolve.ts";
import { findUserId, searchUserId } from "../accounts/users.ts";

const USER_ID = /^[1-9]\d{0,8}$/;

const listWebhooks = (client: WeftClient): Collection<Webhook> => ({
	kind: "webhook",
	list: () => client.each(webhookRoutes.list),
	byId: (id) => client.call(webhookRoutes.detail, { params: { id } }),
});

/**
 * Ids of users by name or id. Everyone finds themselves by name, administrators all users.
 * A number is an id unless a user that the caller finds has it for a name.
 * @throws CliError for an unknown name, and for a name that the caller may not look up
 */
export async function findUserIds(client: WeftClient, names: readonly string[]): Promise<number[]> {
	if (names.length === 0) return [];
	const self = await client.call(authRoutes.profile);
	const ids: number[] = [];
	for (const name of names) {
		if (name === self.username) ids.push(self.id);
		else if (USER_ID.test(name)) ids.push((self.is_admin ? await searchUserId(client, name) : null) ?? Number(name));
		else if (self.is_admin) ids.push(await findUserId(client, name));
		else
			throw new CliError(
				EXIT.notAllowed,
				`Only administrators find other users by name. Give the id of ${name}, or an address with --notify-address.`,
			);
	}
	return ids;
}

export async function findWebhookIds(client: WeftClient, names: readonly string[]): Promise<string[]> {
	const ids: string[] = [];
	for (const name of names) ids.push((await resolveNameOrId(listWebhooks(client), name)).id);
	return ids;
}
