/** Starts the UI: commands first, so that no key is lost, then the session that was kept, then the page. */
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles.css";
import { queries, session } from "./platform/weft.ts";
import { router } from "./router.tsx";
import { registerShellCommands } from "./shell/commands.ts";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no root.");

registerShellCommands((to) => void router.navigate({ to }));

// A page of an older build asks for parts that a newer one does not have: once, it is fetched anew.
window.addEventListener("vite:preloadError", (event) => {
	const key = "weft.reloaded";
	if (sessionStorage.getItem(key) !== null) return;
	sessionStorage.setItem(key, "1");
	event.preventDefault();
	location.reload();
});
setTimeout(() => sessionStorage.removeItem("weft.reloaded"), 10_000);

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
