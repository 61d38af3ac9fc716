/** The pages about people, one chunk. */

export { GroupPage } from "./group.tsx";
export { GroupsPage } from "./groups.tsx";
export { PermissionsPage } from "./permissions.tsx";
export { TokensPage } from "./tokens.tsx";
export { UserPage } from "./user.tsx";
export { UsersPage } from "./users.tsx";
