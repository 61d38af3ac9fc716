/** Search, the state of the connection to the service, jobs, and help. */
import { useRouterState } from "@tanstack/react-router";
import { CircleHelp, Menu as MenuIcon, Search } from "lucide-react";
import { IconButton } from "../ui/button.tsx";
import { Keys } from "../ui/kbd.tsx";
import { Menu } from "../ui/menu.tsx";
import { Bell } from "./bell.tsx";
import { JobsTray } from "./jobs-tray.tsx";
import { LivePill } from "./live-pill.tsx";
import { useShell } from "./state.ts";

export function TopBar() {
	const path = useRouterState({ select: ({ location }) => location.pathname });
	return (
		<header className="flex h-11 shrink-0 items-center gap-2 border-line border-b bg-surface px-5 max-sm:px-3">
			<span className="md:hidden">
				<IconButton variant="ghost" label="Menu" icon={MenuIcon} onClick={() => useShell.setState({ sidebar: true })} />
			</span>
			<button
				type="button"
				className="flex h-7 w-full min-w-0 max-w-90 items-center gap-2 rounded-control border border-line bg-sunken px-2 text-muted hover:border-strong"
				onClick={() => useShell.setState({ palette: true })}
			>
				<Search size={14} className="shrink-0" aria-hidden="true" />
				<span className="flex-1 truncate text-left">Search or run a command</span>
				<span className="max-sm:hidden">
					<Keys combo="mod+k" />
				</span>
			</button>
			<span className="flex-1" />
			<LivePill />
			<JobsTray />
			<Bell />
			<Menu
				trigger={<IconButton variant="ghost" label="Help" icon={CircleHelp} />}
				groups={async () => (await import("./overlay-parts.ts")).buildHelpMenu(path)}
			/>
		</header>
	);
}
