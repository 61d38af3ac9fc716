/**
 * Starts the UI: commands first, so that no key press is lost, then the stored session, then the
 * page.
 */
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles.css";
import { queries, session } from "./platform/weft.ts";
import { router } from "./router.tsx";
import { registerShellCommands } from "./shell/commands.ts";
import { forgetReload, reloadForNewBuild } from "./shell/lazy-page.tsx";
import { showUncaughtErrors } from "./shell/uncaught.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root.");

showUncaughtErrors();
registerShellCommands((to) => void router.navigate({ to }));

window.addEventListener("vite:preloadError", () => void reloadForNewBuild());
setTimeout(forgetReload, 10_000);

void session.start().then(() => {
	session.subscribe(() => void router.invalidate());
	createRoot(root).render(
		<StrictMode>
			<QueryClientProvider client={queries}>
				<RouterProvider router={router} />
			</QueryClientProvider>
		</StrictMode>,
	);
});
