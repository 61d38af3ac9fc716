/** User management, groups and permissions. */
import { groupRoutes, invitationRoutes, usageRoutes, userRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../core/http/binder.ts";
import {
	activateUser,
	addPermissions,
	deactivateUser,
	disableMfa,
	generateResetCode,
	readEffectivePermissions,
	removePermissions,
	resetPassword,
	verifyEmail,
} from "./change-user-access.ts";
import { inviteUsers, listInvitations, renewInvitation, withdrawInvitation } from "./invite-users.ts";
import {
	addPermissionsToGroup,
	cloneGroup,
	createNewGroup,
	deleteGroup,
	listAllPermissions,
	listGroupsOfUsers,
	listRoleTemplates,
	readGroupQuota,
	readVisibleGroup,
	removePermissionsFromGroup,
	removeQuota,
	setQuota,
	updateGroup,
} from "./manage-groups.ts";
import { createUser, deleteUser, listUsers, readUser, updateUser } from "./manage-users.ts";
import { readUserStats } from "./read-user-stats.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	const ofUsers = bindAll(userRoutes, {
		list: async ({ query, url }) => buildReply(200, await listUsers(ctx, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createUser(ctx, caller, body)),
		detail: async ({ params }) => buildReply(200, await readUser(ctx, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await updateUser(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await deleteUser(ctx, caller, params.id);
			return noContent;
		},
		resetPassword: async ({ caller, params, body }) =>
			buildReply(200, await resetPassword(ctx, caller, params.id, body)),
		generateResetCode: async ({ caller, params }) => buildReply(200, await generateResetCode(ctx, caller, params.id)),
		verifyEmail: async ({ caller, params }) => buildReply(200, await verifyEmail(ctx, caller, params.id)),
		disableMfa: async ({ caller, params }) => buildReply(200, await disableMfa(ctx, caller, params.id)),
		activate: async ({ caller, params }) => buildReply(200, await activateUser(ctx, caller, params.id)),
		deactivate: async ({ caller, params }) => buildReply(200, await deactivateUser(ctx, caller, params.id)),
		addPermissions: async ({ caller, params, body }) =>
			buildReply(200, await addPermissions(ctx, caller, params.id, body.permission_ids)),
		removePermissions: async ({ caller, params, body }) =>
			buildReply(200, await removePermissions(ctx, caller, params.id, body.permission_ids)),
		effectivePermissions: async ({ params }) => buildReply(200, await readEffectivePermissions(ctx, params.id)),
	});
	const ofInvitations = bindAll(
		{
			create: invitationRoutes.create,
			list: invitationRoutes.list,
			withdraw: invitationRoutes.withdraw,
			renew: invitationRoutes.renew,
		},
		{
			create: async ({ caller, body }) => buildReply(201, await inviteUsers(ctx, caller, body)),
			list: async ({ query, url }) => buildReply(200, await listInvitations(ctx, query, url)),
			withdraw: async ({ caller, params }) => {
				await withdrawInvitation(ctx, caller, params.id);
				return noContent;
			},
			renew: async ({ caller, params }) => buildReply(200, await renewInvitation(ctx, caller, params.id)),
		},
	);
	const ofGroups = bindAll(groupRoutes, {
		list: async ({ query, url }) => buildReply(200, await listGroupsOfUsers(ctx, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createNewGroup(ctx, caller, body)),
		roleTemplates: async () => buildReply(200, await listRoleTemplates(ctx)),
		detail: async ({ params }) => buildReply(200, await readVisibleGroup(ctx, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await updateGroup(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await deleteGroup(ctx, caller, params.id);
			return noContent;
		},
		clone: async ({ caller, params, body }) => buildReply(201, await cloneGroup(ctx, caller, params.id, body.name)),
		addPermissions: async ({ caller, params, body }) =>
			buildReply(200, await addPermissionsToGroup(ctx, caller, params.id, body.permission_ids)),
		removePermissions: async ({ caller, params, body }) =>
			buildReply(200, await removePermissionsFromGroup(ctx, caller, params.id, body.permission_ids)),
		quota: async ({ params }) => buildReply(200, await readGroupQuota(ctx, params.id)),
		setQuota: async ({ caller, params, body }) => buildReply(200, await setQuota(ctx, caller, params.id, body)),
		removeQuota: async ({ caller, params }) => {
			await removeQuota(ctx, caller, params.id);
			return noContent;
		},
		permissions: async ({ query, url }) => buildReply(200, await listAllPermissions(ctx, query, url)),
	});
	const ofUsage = bindAll(usageRoutes, {
		quotaUsage: async ({ caller }) => buildReply(200, await ctx.quotas.usage(caller)),
		stats: async ({ caller }) => buildReply(200, await readUserStats(ctx, caller.userId)),
	});
	return [...ofUsers, ...ofInvitations, ...ofGroups, ...ofUsage];
}
