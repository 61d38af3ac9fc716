/** Roles that an invitation offers: groups, and role templates of which there is no group yet. */
import type { Group, RoleTemplate } from "@weft/contracts";
import { showGroupName } from "../../../platform/group-names.ts";
import { ROLES } from "./words.ts";

export interface OfferedRole {
	/** Name of the group or of the template: it stays when the group is created. */
	readonly key: string;
	readonly label: string;
	readonly hint: string | undefined;
	/** Null: the group is created with the invitation. */
	readonly groupId: number | null;
	readonly template: RoleTemplate | null;
	readonly isAdmin: boolean;
}

/** From the role that may do least to the administrators. Groups of other names come last. */
const ORDER = ["Viewer", "Requester", "Approver", "Users", "Editor", "Operator", "Admin"];

const getRank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

export function listRoles(groups: readonly Group[], templates: readonly RoleTemplate[]): OfferedRole[] {
	const missing = templates.filter(({ name }) => !groups.some((group) => group.name === name));
	return [
		...groups.map(({ id, name }) => ({
			rank: getRank(name),
			key: name,
			label: showGroupName(name),
			hint: ROLES[name],
			groupId: id,
			template: null,
			isAdmin: name === "Admin",
		})),
		...missing.map((template) => ({
			rank: getRank(template.name),
			key: template.name,
			label: showGroupName(template.name),
			hint: `${template.description}.`,
			groupId: null,
			template,
			isAdmin: false,
		})),
	].sort((a, b) => a.rank - b.rank);
}
