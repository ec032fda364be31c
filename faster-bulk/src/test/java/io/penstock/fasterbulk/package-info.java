@NullMarked
package io.penstock.fasterbulk;

import org.jspecify.annotations.NullMarked;
