/** User management, groups and permissions. */
import { type AuthStats, groupRoutes, invitationRoutes, usageRoutes, userRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../platform/http/binder.ts";
import type { UserManagement } from "./service.ts";
import type { UserActions } from "./service-actions.ts";
import type { Groups } from "./service-groups.ts";
import type { Inviting } from "./service-invitations.ts";
import type { QuotaRules } from "./service-quotas.ts";

interface Services {
	readonly management: UserManagement;
	readonly inviting: Inviting;
	readonly actions: UserActions;
	readonly groups: Groups;
	readonly quotas: Pick<QuotaRules, "usage">;
	/** A user's counters, from the features that count them. */
	readonly stats: (userId: number) => Promise<AuthStats>;
}

export function createRoutes({ management, inviting, actions, groups, quotas, stats }: Services): BoundRoute[] {
	const ofUsers = bindAll(userRoutes, {
		list: async ({ query, url }) => buildReply(200, await management.list(query, url)),
		create: async ({ caller, body }) => buildReply(201, await management.create(caller, body)),
		detail: async ({ params }) => buildReply(200, await management.detail(params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await management.update(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await management.remove(caller, params.id);
			return noContent;
		},
		resetPassword: async ({ caller, params, body }) =>
			buildReply(200, await actions.resetPassword(caller, params.id, body)),
		generateResetCode: async ({ caller, params }) =>
			buildReply(200, await actions.generateResetCode(caller, params.id)),
		verifyEmail: async ({ caller, params }) => buildReply(200, await actions.verifyEmail(caller, params.id)),
		disableMfa: async ({ caller, params }) => buildReply(200, await actions.disableMfa(caller, params.id)),
		activate: async ({ caller, params }) => buildReply(200, await actions.activate(caller, params.id)),
		deactivate: async ({ caller, params }) => buildReply(200, await actions.deactivate(caller, params.id)),
		addPermissions: async ({ caller, params, body }) =>
			buildReply(200, await actions.addPermissions(caller, params.id, body.permission_ids)),
		removePermissions: async ({ caller, params, body }) =>
			buildReply(200, await actions.removePermissions(caller, params.id, body.permission_ids)),
		effectivePermissions: async ({ params }) => buildReply(200, await actions.effectivePermissions(params.id)),
	});
	const ofInvitations = bindAll(
		{ create: invitationRoutes.create, list: invitationRoutes.list, withdraw: invitationRoutes.withdraw },
		{
			create: async ({ caller, body }) => buildReply(201, await inviting.invite(caller, body)),
			list: async ({ query, url }) => buildReply(200, await inviting.list(query, url)),
			withdraw: async ({ caller, params }) => {
				await inviting.withdraw(caller, params.id);
				return noContent;
			},
		},
	);
	const ofGroups = bindAll(groupRoutes, {
		list: async ({ query, url }) => buildReply(200, await groups.list(query, url)),
		create: async ({ caller, body }) => buildReply(201, await groups.create(caller, body)),
		roleTemplates: async () => buildReply(200, await groups.roleTemplates()),
		detail: async ({ params }) => buildReply(200, await groups.detail(params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await groups.update(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await groups.remove(caller, params.id);
			return noContent;
		},
		clone: async ({ caller, params, body }) => buildReply(201, await groups.clone(caller, params.id, body.name)),
		addPermissions: async ({ caller, params, body }) =>
			buildReply(200, await groups.addPermissions(caller, params.id, body.permission_ids)),
		removePermissions: async ({ caller, params, body }) =>
			buildReply(200, await groups.removePermissions(caller, params.id, body.permission_ids)),
		quota: async ({ params }) => buildReply(200, await groups.quota(params.id)),
		setQuota: async ({ caller, params, body }) => buildReply(200, await groups.setQuota(caller, params.id, body)),
		removeQuota: async ({ caller, params }) => {
			await groups.removeQuota(caller, params.id);
			return noContent;
		},
		permissions: async ({ query, url }) => buildReply(200, await groups.permissions(query, url)),
	});
	const ofUsage = bindAll(usageRoutes, {
		quotaUsage: async ({ caller }) => buildReply(200, await quotas.usage(caller)),
		stats: async ({ caller }) => buildReply(200, await stats(caller.userId)),
	});
	return [...ofUsers, ...ofInvitations, ...ofGroups, ...ofUsage];
}
