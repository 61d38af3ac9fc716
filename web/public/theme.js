// Sets theme, density and whether a session is kept before the first paint; src/platform/appearance.ts
// changes the settings themselves.
(() => {
	const root = document.documentElement;
	let theme = "system";
	let density = "compact";
	let session = null;
	try {
		theme = localStorage.getItem("weft.theme") || theme;
		density = localStorage.getItem("weft.density") || density;
		session = sessionStorage.getItem("weft.session") || localStorage.getItem("weft.session");
	} catch {
		// Storage is switched off: the defaults stand.
	}
	const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
	root.dataset.theme = dark ? "dark" : "light";
	root.dataset.density = density;
	root.dataset.session = session === null ? "none" : "kept";
})();
