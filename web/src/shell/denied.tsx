/** In place of a page that a person may not see: names the missing permission and who grants it. */
import { useRouterState } from "@tanstack/react-router";
import { ShieldOff } from "lucide-react";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, PageHead } from "../ui/page.tsx";
import { findLabelFor, findPermissionFor } from "./pages.ts";

/** Finds the smallest role with a permission to view. Returns undefined if no role has it. */
const findRole = (permission: string): string | undefined =>
	/^view_automation(template|request|execution)$/.test(permission)
		? "Requester"
		: permission.startsWith("view_")
			? "Viewer"
			: undefined;

export function Denied() {
	const path = useRouterState({ select: ({ location }) => location.pathname });
	const permission = findPermissionFor(path);
	const page = findLabelFor(path)?.toLowerCase() ?? "this page";
	const role = permission === null ? undefined : findRole(permission);
	return (
		<>
			<PageHead title="Permission denied" />
			<Empty icon={ShieldOff} action={<ButtonLink to="/">To the overview</ButtonLink>}>
				{permission === "admin" ? (
					<>
						This page is for administrators: superusers and members of the group Admin. A superuser can add you to that
						group.
					</>
				) : (
					<>
						You may not see {page}. Ask an administrator{role && <> for the role {role}</>}.
						<span className="mt-1 block text-muted text-xs">
							Missing permission: <code className="mono">{permission}</code>
						</span>
					</>
				)}
			</Empty>
		</>
	);
}
