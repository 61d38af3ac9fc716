/** In place of a page that a person may not see: names the missing permission and who grants it. */
import { useRouterState } from "@tanstack/react-router";
import { ShieldOff } from "lucide-react";
import { ButtonLink } from "../ui/button.tsx";
import { Empty, PageHead } from "../ui/page.tsx";
import { findPermissionFor } from "./pages.ts";

export function Denied() {
	const permission = useRouterState({ select: ({ location }) => findPermissionFor(location.pathname) });
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
						You lack the permission <code className="mono">{permission}</code>. An administrator can grant it to you or
						to one of your groups, under Users and groups.
					</>
				)}
			</Empty>
		</>
	);
}
