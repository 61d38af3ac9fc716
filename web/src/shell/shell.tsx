/** The frame around every page of a signed-in person. */
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { useMay, useProfile } from "../platform/profile.ts";
import { Boundary } from "../ui/page.tsx";
import { loadPage } from "./lazy-page.tsx";
import { Overlays } from "./overlays.tsx";
import { findPermissionFor } from "./pages.ts";
import { Sidebar } from "./sidebar.tsx";
import { useShell } from "./state.ts";
import { TopBar } from "./topbar.tsx";

export function Shell() {
	const path = useRouterState({ select: (state) => state.location.pathname });
	const pending = useRouterState({ select: (state) => state.status === "pending" });
	// biome-ignore lint/correctness/useExhaustiveDependencies: on each change of page
	useEffect(() => useShell.setState({ sidebar: false }), [path]);
	return (
		<>
			<button
				type="button"
				className="fixed top-2 left-2 z-50 -translate-y-16 rounded-control bg-accent px-3 py-1.5 text-accent-fg focus:translate-y-0"
				onClick={() => document.getElementById("main")?.focus()}
			>
				Skip to content
			</button>
			<div className="flex h-dvh">
				<Boundary>
					<Sidebar />
				</Boundary>
				<div className="flex min-w-0 flex-1 flex-col">
					<Boundary>
						<TopBar />
					</Boundary>
					<div className="relative min-h-0 flex-1">
						{pending && (
							<div className="absolute inset-x-0 top-0 z-10 h-0.5 bg-accent motion-safe:animate-[appear_150ms_150ms_both]" />
						)}
						<main id="main" tabIndex={-1} className="h-full overflow-y-auto outline-none" key={path.split("/")[1]}>
							<Boundary resetKey={path}>
								<Admitted path={path} />
							</Boundary>
						</main>
					</div>
				</div>
			</div>
			<Overlays />
		</>
	);
}

const Denied = loadPage(() => import("./denied.tsx"), "Denied");

/** The page, or in its place which permission it needs. */
function Admitted({ path }: { path: string }) {
	const known = useProfile() !== undefined;
	const may = useMay();
	const permission = findPermissionFor(path);
	const denied = known && permission !== null && !may(permission);
	return denied ? <Denied /> : <Outlet />;
}
