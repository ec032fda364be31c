/** The server's own tests, with the plugin on. */
package io.penstock.servertests;
